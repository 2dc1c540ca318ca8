//! One daemon a home, and what it leaves there.

use crate::rig::Rig;
use pillion_daemon::{Config, DaemonError, Started};
use pillion_os::record::DaemonRecord;
use pillion_wire::local::{Admin, Role};
use std::net::TcpListener;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_second_daemon_of_a_home_is_refused() {
    let rig = Rig::new().await;
    let config = Config { ports: vec![0], ..Config::default() };
    let second = Started::start(rig.home.clone(), &config, CancellationToken::new());
    assert!(matches!(second.err(), Some(DaemonError::AlreadyRunning)));
    assert_eq!(DaemonRecord::read(&rig.home), Some(rig.record.clone()));
    let rig = rig.restart().await;
    assert_eq!(DaemonRecord::read(&rig.home), Some(rig.record.clone()));
}

#[tokio::test]
async fn without_a_free_port_the_daemon_still_serves_clients_and_says_so() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let rig = Rig::with(Config { ports: vec![port], ..Config::default() }).await;
    assert_eq!(rig.record.port, 0);
    let status = rig.client(Role::Cli).await.ask(Admin::Status).await;
    assert!(status["note"].as_str().unwrap().contains(&port.to_string()), "{status}");
}

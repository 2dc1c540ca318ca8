//! The daemon's process: started, watched through `/proc`, ended.

use pillion_daemon::Home;
use pillion_os::record::DaemonRecord;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// A daemon listens within this.
const START: Duration = Duration::from_secs(10);
/// Between two looks whether it does.
const LOOK: Duration = Duration::from_millis(5);
/// The kernel's unit of processor time, fixed for all programs.
const TICKS_A_SECOND: f64 = 100.0;

/// The daemon's process. Dropping it ends it.
pub struct DaemonProcess {
    child: Child,
    pid: u32,
}

impl DaemonProcess {
    /// This program again, as the daemon of that home.
    pub async fn start(home: &Home) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("daemon").arg(home.root()).stdin(Stdio::null()).kill_on_drop(true);
        let child = command.spawn().unwrap();
        let pid = child.id().unwrap();
        let until = Instant::now() + START;
        while DaemonRecord::read(home).is_none() {
            assert!(Instant::now() < until, "the daemon listens in time");
            tokio::time::sleep(LOOK).await;
        }
        Self { child, pid }
    }

    /// Resident memory now and at its highest, MB (of 1,000,000 bytes).
    pub fn memory(&self) -> (f64, f64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap();
        let of = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_whitespace().next().unwrap().parse::<f64>().unwrap() * 1_024.0 / 1e6
        };
        (of("VmRSS:"), of("VmHWM:"))
    }

    /// Processor time of the daemon and of this process so far, seconds.
    pub fn processor(&self) -> (f64, f64) {
        (seconds(&self.pid.to_string()), seconds("self"))
    }

    /// Ends it.
    pub async fn end(mut self) {
        self.child.kill().await.unwrap();
    }
}

fn seconds(pid: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    // The name in brackets may hold spaces; user and system time are the 12th and 13th after it.
    let (_, rest) = stat.rsplit_once(") ").unwrap();
    let ticks: Vec<f64> =
        rest.split(' ').skip(11).take(2).map(|field| field.parse().unwrap()).collect();
    ticks.iter().sum::<f64>() / TICKS_A_SECOND
}

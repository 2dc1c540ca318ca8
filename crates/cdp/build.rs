//! Embeds the page agent that `node web/build.mjs` made. Without it the crate builds all the same, and
//! the link says what is missing when somebody wants a page.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let crate_dir =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let extension = crate_dir.join("../../web/extension");
    let built = extension.join("dist/agent.js");
    let out = Path::new(&env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?).join("agent.js");
    if built.is_file() {
        watch(&built);
        fs::copy(&built, &out)?;
    } else {
        // Not the file itself: what is not there is taken for changed at every build.
        watch(&extension);
        fs::write(&out, "")?;
    }
    Ok(())
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

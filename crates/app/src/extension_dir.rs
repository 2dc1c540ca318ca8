//! Where the built extension lies: beside the program, or in the source tree it was built from.

use std::path::{Path, PathBuf};

/// Names the folder from outside.
const ENV: &str = "PILLION_EXTENSION_DIR";

/// The folder to load into a browser.
pub fn find() -> anyhow::Result<PathBuf> {
    if let Some(named) = std::env::var_os(ENV).filter(|value| !value.is_empty()) {
        let named = std::path::absolute(PathBuf::from(named))?;
        anyhow::ensure!(is_extension(&named), "no extension in {} ({ENV})", named.display());
        return Ok(named);
    }
    let program = std::env::current_exe()?;
    beside(&program).ok_or_else(|| {
        anyhow::anyhow!(
            "the extension's folder was not found beside {}. Build it (`npm run build`) or name \
             it with {ENV}",
            program.display()
        )
    })
}

fn beside(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    let installed = [folder.join("extension"), folder.join("../share/pillion/extension")];
    let built = folder.ancestors().map(|above| above.join("web/extension/dist"));
    installed.into_iter().chain(built).find(|path| is_extension(path))
}

fn is_extension(path: &Path) -> bool {
    path.join("manifest.json").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_in_the_source_tree_is_found_from_the_program() {
        let dir = tempfile::tempdir().unwrap();
        let dist = dir.path().join("web/extension/dist");
        std::fs::create_dir_all(&dist).unwrap();
        let program = dir.path().join("target/debug/pillion");
        assert_eq!(beside(&program), None);
        std::fs::write(dist.join("manifest.json"), "{}").unwrap();
        assert_eq!(beside(&program), Some(dist));
    }
}

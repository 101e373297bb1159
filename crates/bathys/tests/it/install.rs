//! What `make install` puts beside the program.

use std::path::Path;
use std::process::Command;

use crate::program::Scratch;

#[test]
fn an_installed_program_has_manual_pages_and_completions() {
    let scratch = Scratch::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/install");
    let ran = Command::new(script)
        .args([env!("CARGO_BIN_EXE_bathys"), "there"])
        .current_dir(scratch.path())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let read = |name: &str| {
        let path = scratch.path().join("there").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    for page in ["bathys", "bathys-crawl", "bathys-dom-records"] {
        assert!(read(&format!("share/man/man1/{page}.1")).contains(".SH OPTIONS"), "{page}");
    }
    for file in [
        "share/bash-completion/completions/bathys",
        "share/zsh/site-functions/_bathys",
        "share/fish/vendor_completions.d/bathys.fish",
    ] {
        assert!(read(file).contains("max-pages"), "{file}");
    }
    let version = Command::new(scratch.path().join("there/bin/bathys")).arg("--version").output();
    assert!(version.unwrap().status.success());
}

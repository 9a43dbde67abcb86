//! Compiles `../src` over loom.

fn main() {
    println!("cargo::rustc-cfg=reveille_loom");
    println!("cargo::rerun-if-changed=build.rs");
}

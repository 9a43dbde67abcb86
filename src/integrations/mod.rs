//! Thin modules on top of the primitives, through their public interface only.
#![forbid(unsafe_code)]

#[cfg(feature = "merge")]
pub mod merge;

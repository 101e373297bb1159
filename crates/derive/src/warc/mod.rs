//! Archives that somebody wrote, ours included: WARC and WACZ files, read as what they hold.

mod files;
mod header;
mod message;
mod reader;
mod survey;

pub use files::FileError;
pub use header::WarcHeader;
pub use reader::{BadRecord, ReadRecord, RecordFault, WarcPlace, WarcReader};
pub use survey::{BadWarc, WarcCapture, WarcSurvey};

//! A file that is there whole or not at all: written beside its place under another name, and renamed.

use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::PublishError;

/// A file that is being written. Dropped before it is finished, it leaves nothing.
pub(crate) struct OutputFile {
    temporary: NamedTempFile,
    path: PathBuf,
}

impl OutputFile {
    pub(crate) fn create(path: &Path) -> Result<Self, PublishError> {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let temporary = tempfile::Builder::new()
            .prefix(".bathys-export-")
            // As any file that a program makes: the umask says what remains of it.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(directory.unwrap_or(Path::new(".")))
            .map_err(|source| PublishError::file(path, source))?;
        Ok(Self { temporary, path: path.to_owned() })
    }

    /// To write to.
    pub(crate) fn handle(&self) -> Result<File, PublishError> {
        self.temporary.reopen().map_err(|source| PublishError::file(&self.path, source))
    }

    /// Puts it into its place, and says how large it is.
    pub(crate) fn finish(self) -> Result<u64, PublishError> {
        let path = self.path;
        let file = self.temporary.as_file();
        let size = file.sync_all().and_then(|()| file.metadata());
        let size = size.map_err(|source| PublishError::file(&path, source))?.len();
        self.temporary.persist(&path).map_err(|e| PublishError::file(&path, e.error))?;
        Ok(size)
    }
}

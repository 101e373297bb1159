//! What a document of the index holds. One is one distinct text of a site, with all its occurrences.

use std::path::Path;

use tantivy::schema::{
    BytesOptions, FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema,
    TextFieldIndexing, TextOptions,
};
use tantivy::store::{Compressor, ZstdCompressor};
use tantivy::tokenizer::{TokenizerManager, WhitespaceTokenizer};
use tantivy::{Index, IndexSettings};

use crate::unit::UnitTokenizer;

/// Counts up when what is indexed changes: an index of another format is made anew.
pub(crate) const FORMAT: u32 = 1;

/// Texts are written once or twice and are half of the index: level 7 takes a tenth less room than 3. What is
/// packed together is unpacked together, for each hit that is shown.
const LEVEL: i32 = 7;
const STORED_TOGETHER: usize = 32 << 10;

const UNITS: &str = "units";
const WORDS: &str = "words";

/// Names of the columns that are read for every match.
pub(crate) mod column {
    pub(crate) const SITE: &str = "site";
    pub(crate) const PAGE: &str = "page";
    pub(crate) const FIRST: &str = "first";
    pub(crate) const LAST: &str = "last";
    pub(crate) const LABEL: &str = "label";
}

/// The fields.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    /// Digest of site and text: what a document is found again by.
    pub(crate) id: Field,
    pub(crate) site: Field,
    /// Units with positions, and the text itself.
    pub(crate) text: Field,
    /// Words of a dictionary, where a script has no spaces.
    pub(crate) words: Field,
    pub(crate) topic: Field,
    pub(crate) title: Field,
    /// Pages whose latest version shows it.
    pub(crate) open: Field,
    /// Of each occurrence, in this order in all four: page, first and last moment, label.
    pub(crate) page: Field,
    pub(crate) first: Field,
    pub(crate) last: Field,
    pub(crate) label: Field,
    /// All that is known of the occurrences.
    pub(crate) occurrences: Field,
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let indexing = |tokenizer: &str, record| {
        TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(record)
    };
    let text = |tokenizer: &str, record| {
        TextOptions::default().set_indexing_options(indexing(tokenizer, record))
    };
    let with_positions = IndexRecordOption::WithFreqsAndPositions;
    let counted = IndexRecordOption::WithFreqs;
    let fields = Fields {
        id: schema.add_bytes_field("id", INDEXED),
        site: schema.add_text_field(column::SITE, STRING | FAST | STORED),
        text: schema.add_text_field("text", text(UNITS, with_positions).set_stored()),
        words: schema.add_text_field("words", text(WORDS, counted)),
        topic: schema.add_text_field("topic", text(UNITS, with_positions)),
        title: schema.add_text_field("title", text(UNITS, with_positions)),
        open: schema.add_u64_field("open", INDEXED),
        page: schema.add_i64_field(column::PAGE, FAST),
        first: schema.add_i64_field(column::FIRST, FAST),
        last: schema.add_i64_field(column::LAST, FAST),
        label: schema.add_u64_field(column::LABEL, FAST),
        occurrences: schema.add_bytes_field("occurrences", BytesOptions::default().set_stored()),
    };
    (schema.build(), fields)
}

/// Opens the index in a directory, or begins one. `None` if it is of another format.
pub(crate) fn open(directory: &Path) -> tantivy::Result<Option<(Index, Fields)>> {
    let (schema, fields) = schema();
    let settings = IndexSettings {
        docstore_compression: Compressor::Zstd(ZstdCompressor { compression_level: Some(LEVEL) }),
        docstore_blocksize: STORED_TOGETHER,
        ..IndexSettings::default()
    };
    let tokenizers = TokenizerManager::default();
    tokenizers.register(UNITS, UnitTokenizer::default());
    tokenizers.register(WORDS, WhitespaceTokenizer::default());
    let place = tantivy::directory::MmapDirectory::open(directory)?;
    let mut index = match Index::exists(&place).map_err(tantivy::TantivyError::from)? {
        false => Index::create(place, schema.clone(), settings)?,
        true => Index::open(place)?,
    };
    if index.schema() != schema {
        return Ok(None);
    }
    index.set_tokenizers(tokenizers);
    Ok(Some((index, fields)))
}

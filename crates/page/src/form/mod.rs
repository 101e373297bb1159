//! Forms: what a page lets its visitors ask for, and whether asking changes anything.
//!
//! After seed 002 (Madhavan and Halevy, "Web-scale data integration: the deep web"): a form is a method, an
//! address and *inputs*, each with the values that it may have. The paper takes every GET form; we first ask
//! a [gate](judge) that denies by default and lists its reasons, since a form that signs up, sends or deletes
//! looks much like one that searches.
//!
//! ```
//! use page::form::{forms, judge};
//!
//! let dom = page::tree::parse_str(
//!     "<form action=/find><label>State <select name=st><option value=''>Any<option>AK</select></label>
//!      <button>Find jobs</button></form><form action=/mail><input type=email name=m></form>",
//! )
//! .dom;
//! let page = url::Url::parse("http://jobs.example/").unwrap();
//! let forms = forms(&dom, &page);
//! assert_eq!(forms[0].inputs[0].label, "State");
//! assert!(judge(&forms[0], &page).is_empty());
//! assert_eq!(judge(&forms[1], &page)[0].to_string(), "its field 'm' asks for an e-mail address");
//! ```

mod gate;
mod label;
mod lexicon;
mod model;
mod read;
mod relation;
mod submission;

pub use gate::{FormRefusal, HardField, Place, judge, reads};
pub use model::{Choice, Form, FormId, FormMethod, Input, InputKind, Submitter};
pub use read::forms;
pub use relation::{Relations, relations};
pub use submission::{Assignment, Submission};

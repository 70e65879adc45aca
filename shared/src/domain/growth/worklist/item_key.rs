//! Key of an item: `<kind>:<uuid>`.

use std::fmt;

use uuid::Uuid;

use super::WorkItemKind;
use crate::platform::text_enum::parse_variant;

/// Length of an id in its canonical form (RFC 9562 §4).
const ID_LENGTH: usize = 36;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkItemKey {
    pub kind: WorkItemKind,
    pub subject: Uuid,
}

impl WorkItemKey {
    /// None for text that is no key.
    #[must_use]
    pub fn parse_key(text: &str) -> Option<Self> {
        let (kind, subject) = text.split_once(':')?;
        let subject = Uuid::try_parse(subject).ok().filter(|_| subject.len() == ID_LENGTH)?;
        Some(Self { kind: parse_variant(kind)?, subject })
    }

    /// Whether both name the same item: to call back and to answer are one.
    pub(super) fn is_same_item(self, other: Self) -> bool {
        self.subject == other.subject && self.kind.mark_kind() == other.kind.mark_kind()
    }
}

impl fmt::Display for WorkItemKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_reads_back_and_malformed_text_is_refused() {
        let key = WorkItemKey { kind: WorkItemKind::ConfirmRequest, subject: Uuid::from_u128(7) };
        assert_eq!(key.to_string(), "confirm_request:00000000-0000-0000-0000-000000000007");
        assert_eq!(WorkItemKey::parse_key(&key.to_string()), Some(key));
        for text in ["", ":", "answer", "answer:", "answer:7", "nothing:00000000-0000-0000-0000-000000000007"] {
            assert_eq!(WorkItemKey::parse_key(text), None, "{text}");
        }
        let simple = format!("answer:{}", Uuid::from_u128(7).simple());
        assert_eq!(WorkItemKey::parse_key(&simple), None, "one text for one item");
    }

    #[test]
    fn call_back_and_answer_of_one_customer_are_the_same_item() {
        let key = |kind| WorkItemKey { kind, subject: Uuid::from_u128(1) };
        assert!(key(WorkItemKind::CallBack).is_same_item(key(WorkItemKind::Answer)));
        assert!(!key(WorkItemKind::Collect).is_same_item(key(WorkItemKind::Answer)));
    }
}

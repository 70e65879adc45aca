//! Names that come twice in one JSON object. Which value counts is undefined (RFC 8259 section 4), and serde takes the
//! last one into maps and values: such a body is refused.

use std::{collections::BTreeSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The first name that an object of the body repeats. None for a body that is not JSON.
pub(super) fn find_repeated_key(body: &[u8]) -> Option<String> {
    let mut found = None;
    // Its error is either the repetition or one that the real parser reports.
    let _ended = KeyScan(&mut found).deserialize(&mut serde_json::Deserializer::from_slice(body));
    found
}

/// Reads a value of any type, and stores the repeated name.
struct KeyScan<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for KeyScan<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for KeyScan<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                *self.0 = Some(key);
                return Err(A::Error::custom("a name is repeated"));
            }
            seen.insert(key);
            map.next_value_seed(KeyScan(&mut *self.0))?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(KeyScan(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::find_repeated_key;

    #[test]
    fn repeated_name_is_found_at_any_depth() {
        for (body, name) in [
            (r#"{"phone": "1", "phone": "2"}"#, "phone"),
            (r#"{"a": [{"b": 1, "c": null, "b": 2.5}]}"#, "b"),
            (r#"{"zip": {"x": true}, "z\u0069p": 1}"#, "zip"),
        ] {
            assert_eq!(find_repeated_key(body.as_bytes()).as_deref(), Some(name), "{body}");
        }
        for body in [r#"{"a": {"x": 1}, "b": {"x": -1}}"#, r#"[{"a": 1}, {"a": 2}]"#, "{}", "1", "", "{\"a\""] {
            assert_eq!(find_repeated_key(body.as_bytes()), None, "{body}");
        }
    }
}

//! Names that come twice in one JSON object. Which value counts is undefined (RFC 8259 section 4), and serde takes the
//! last one into maps and values: such a body is refused.

use std::{collections::BTreeSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The first name that an object of the body repeats. It reads all of every body that serde takes for a `Value`.
///
/// # Errors
/// The body cannot be read to its end. A parser that skips unknown fields may still accept it: it checks neither depth,
/// nor numbers, nor surrogates of what it skips.
pub(super) fn find_repeated_key(body: &[u8]) -> serde_json::Result<Option<String>> {
    let mut found = None;
    let mut reader = serde_json::Deserializer::from_slice(body);
    let ended = KeyScan(&mut found).deserialize(&mut reader).and_then(|()| reader.end());
    match found {
        Some(name) => Ok(Some(name)),
        None => ended.map(|()| None),
    }
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
    use proptest::prelude::*;
    use serde_json::Value;

    use super::find_repeated_key;

    #[test]
    fn repeated_name_is_found_at_any_depth() {
        for (body, name) in [
            (r#"{"phone": "1", "phone": "2"}"#, "phone"),
            (r#"{"a": [{"b": 1, "c": null, "b": 2.5}]}"#, "b"),
            (r#"{"zip": {"x": true}, "z\u0069p": 1}"#, "zip"),
        ] {
            assert_eq!(find_repeated_key(body.as_bytes()).unwrap().as_deref(), Some(name), "{body}");
        }
        for body in [r#"{"a": {"x": 1}, "b": {"x": -1}}"#, r#"[{"a": 1}, {"a": 2}]"#, "{}", "1"] {
            assert_eq!(find_repeated_key(body.as_bytes()).unwrap(), None, "{body}");
        }
    }

    #[test]
    fn body_that_cannot_be_read_to_its_end_is_an_error() {
        let deep = format!(r#"{{"x": {}{}, "a": {{"b": 1, "b": 2}}}}"#, "[".repeat(200), "]".repeat(200));
        let skipped = [r#"{"x": 1e999, "a": 1, "a": 2}"#, r#"{"x": "\ud800", "a": 1, "a": 2}"#, deep.as_str()];
        for body in skipped.into_iter().chain(["", "{\"a\"", "{} {}", "{\"\\ud800\": 1}"]) {
            assert!(find_repeated_key(body.as_bytes()).is_err(), "{body}");
        }
    }

    /// JSON text, also with faults: numbers beyond a double, lone surrogates, trailing text, names that repeat.
    fn json_text() -> impl Strategy<Value = String> {
        let scalars = ["null", "true", "-0", "1.5e3", "1e999", "-1e400", "18446744073709551616", "01", "nul"];
        let texts = [r#""a""#, r#""\u00e9""#, r#""\ud83d\ude00""#, r#""\ud800""#, r#""\udc00x""#, r#""\x""#, "\"\t\""];
        let leaf = prop_oneof![
            prop::sample::select(scalars.to_vec()).prop_map(str::to_owned),
            prop::sample::select(texts.to_vec()).prop_map(str::to_owned),
            (100_usize..160).prop_map(|depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth))),
        ];
        leaf.prop_recursive(6, 40, 5, move |inner| {
            let named = (prop::sample::select(texts.to_vec()), inner.clone());
            prop_oneof![
                prop::collection::vec(inner, 0..5).prop_map(|all| format!("[{}]", all.join(","))),
                prop::collection::vec(named, 0..4).prop_map(|all| {
                    let fields: Vec<String> = all.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
                    format!("{{{}}}", fields.join(", "))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn scan_reads_what_serde_reads_as_a_value(body in json_text(), tail in prop::sample::select(vec!["", " ", "]", "{}"])) {
            let body = body + tail;
            let accepted = serde_json::from_slice::<Value>(body.as_bytes()).is_ok();
            match find_repeated_key(body.as_bytes()) {
                Ok(None) => prop_assert!(accepted, "{}", body),
                Ok(Some(_)) => {}
                Err(_) => prop_assert!(!accepted, "{}", body),
            }
        }
    }
}

//! Text of an enum without fields, as its serde derive gives it.

use serde::de::{DeserializeOwned, IntoDeserializer, value};

/// Displays the variants as they are serialised.
#[macro_export]
macro_rules! display_serialized {
    ($($name:ty),+ $(,)?) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                serde::Serialize::serialize(self, f)
            }
        }
    )+};
}

pub use crate::display_serialized;

/// None for a text that is no variant, as that of another program version.
#[must_use]
pub fn parse_variant<T: DeserializeOwned>(text: &str) -> Option<T> {
    let text: value::StrDeserializer<'_, value::Error> = text.into_deserializer();
    T::deserialize(text).ok()
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Sample {
        CrewFeed,
        #[serde(rename = "In Progress")]
        InProgress,
    }

    display_serialized!(Sample);

    #[test]
    fn variant_is_displayed_and_parsed_by_its_derived_text() {
        for (sample, text) in [(Sample::CrewFeed, "crew_feed"), (Sample::InProgress, "In Progress")] {
            assert_eq!((sample.to_string().as_str(), parse_variant(text)), (text, Some(sample)));
        }
        assert_eq!(parse_variant::<Sample>("CrewFeed"), None);
    }
}

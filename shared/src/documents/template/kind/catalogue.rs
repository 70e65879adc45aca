//! The catalogue of wordings as the template editor lists it.

use serde::Serialize;
use utoipa::ToSchema;

use super::{Audience, Channel, Kind, MessageClass, about::about};
use crate::documents::template::Language;

/// One wording, as the template editor lists it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateKind {
    pub kind: Kind,
    pub title: &'static str,
    pub description: &'static str,
    /// The editor it stands in; equal to `kind` for those that an editor is named after.
    pub editor: Kind,
    pub channel: Channel,
    pub audience: Audience,
    pub class: MessageClass,
    /// May be the first text of a thread: it must name the business and say how to stop.
    pub first_of_thread: bool,
    pub has_subject: bool,
    /// In characters, as written.
    pub max_length: usize,
    /// None where the wording never goes as a text.
    pub max_segments: Option<usize>,
    pub languages: Vec<Language>,
    pub variables: Vec<TemplateVariable>,
}

/// One word in double braces that a wording may use.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateVariable {
    pub name: &'static str,
    pub meaning: &'static str,
    pub example: String,
    /// What stands in the message when the value is not known.
    pub fallback: &'static str,
}

impl Kind {
    /// Everything the editor shows about this wording.
    #[must_use]
    pub fn describe(self) -> TemplateKind {
        let about = about(self);
        let languages =
            if about.audience == Audience::Customer { vec![Language::En, Language::Es] } else { vec![Language::En] };
        TemplateKind {
            kind: self,
            title: about.title,
            description: about.description,
            editor: about.editor,
            channel: about.channel,
            audience: about.audience,
            class: about.class,
            first_of_thread: about.first,
            has_subject: self.has_subject(),
            max_length: self.max_length(),
            max_segments: self.max_segments(),
            languages,
            variables: about.variables.iter().map(|v| v.describe(about.audience)).collect(),
        }
    }
}

/// The whole catalogue, in its fixed order.
#[must_use]
pub fn describe() -> Vec<TemplateKind> {
    Kind::ALL.into_iter().map(Kind::describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_about_a_wording_is_enough_to_edit_it() {
        for about in describe() {
            assert!(!about.title.is_empty() && about.description.ends_with('.'), "{about:?}");
            assert!(about.variables.iter().any(|v| v.name == "businessName"), "{about:?}");
            assert_eq!(about.has_subject, about.channel == Channel::Email);
        }
        let json = serde_json::to_value(Kind::ReviewRequest.describe()).unwrap();
        assert_eq!((&json["class"], &json["firstOfThread"]), (&"promotional".into(), &true.into()));
        assert_eq!(json["variables"][4]["name"], "reviewLink");
    }
}

//! The catalogue of wordings as the template editor lists it.

use platform::language::Language;
use serde::Serialize;
use utoipa::ToSchema;

use super::{MessageClass, TemplateAudience, TemplateChannel, TemplateKindName, template_spec::kind_spec};

/// One wording, as the template editor lists it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateKind {
    pub kind: TemplateKindName,
    pub title: &'static str,
    pub description: &'static str,
    /// The editor that shows it; equal to `kind` for those that an editor is named after.
    pub editor: TemplateKindName,
    pub channel: TemplateChannel,
    pub audience: TemplateAudience,
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
    /// Text of the message for an unknown value.
    pub fallback: &'static str,
}

impl TemplateKindName {
    #[must_use]
    pub fn to_template_kind(self) -> TemplateKind {
        let about = kind_spec(self);
        let languages = if about.audience == TemplateAudience::Customer {
            vec![Language::En, Language::Es]
        } else {
            vec![Language::En]
        };
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
            variables: about.variables.iter().map(|v| v.to_template_variable(about.audience)).collect(),
        }
    }
}

#[must_use]
pub fn list_template_kinds() -> Vec<TemplateKind> {
    TemplateKindName::ALL.into_iter().map(TemplateKindName::to_template_kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wording_description_is_complete_for_editing() {
        for about in list_template_kinds() {
            assert!(!about.title.is_empty() && about.description.ends_with('.'), "{about:?}");
            assert!(about.variables.iter().any(|v| v.name == "businessName"), "{about:?}");
            assert_eq!(about.has_subject, about.channel == TemplateChannel::Email);
        }
        let json = serde_json::to_value(TemplateKindName::ReviewRequest.to_template_kind()).unwrap();
        assert_eq!((&json["class"], &json["firstOfThread"]), (&"promotional".into(), &true.into()));
        assert_eq!(json["variables"][4]["name"], "reviewLink");
    }
}

//! Response time that a wording states: found, replaced or removed.

use chrono::Duration;

use crate::{
    documents::{
        response_time::{self, PromisedResponseTime},
        template::{self, Language, TemplateWording, WordingValues},
    },
    platform::{error::Result, memoize::MemoCache},
};

type SubjectAndBody = (Option<String>, String);

/// Cache size. Wordings are parsed once, not for every request.
const REMEMBERED: usize = 256;
static PROMISING: MemoCache<(SubjectAndBody, Duration), SubjectAndBody> = MemoCache::with_capacity(REMEMBERED);
static UNTIMED: MemoCache<(SubjectAndBody, Language), SubjectAndBody> = MemoCache::with_capacity(REMEMBERED);
static READ: MemoCache<String, Option<PromisedResponseTime>> = MemoCache::with_capacity(REMEMBERED);

/// Wording, without response times when they cannot be kept.
pub(super) fn keep_or_remove_time(is_kept: bool, language: Language, wording: &TemplateWording) -> TemplateWording {
    if is_kept {
        return wording.clone();
    }
    let untimed = UNTIMED.get_or_compute((subject_and_body(wording), language), |(texts, _)| {
        map_texts(texts, |text| response_time::remove_promised_times(text, language))
    });
    replace_texts(wording, untimed)
}

#[must_use]
pub fn with_response_time(wording: &TemplateWording, within: Option<Duration>) -> TemplateWording {
    let Some(within) = within else { return wording.clone() };
    let promising = PROMISING.get_or_compute((subject_and_body(wording), within), |(texts, _)| {
        match response_time::find_promised_time(&subject_and_body_text(wording)) {
            Some(own) => map_texts(texts, |text| response_time::replace_promised_time(text, own.within, within)),
            None => texts.clone(),
        }
    });
    replace_texts(wording, promising)
}

/// The one time promised by text and email. A text for a personal phone counts only if nothing else promises one.
#[must_use]
pub fn shortest_response_time(text: Option<Duration>, email: Option<Duration>, texts_leave: bool) -> Option<Duration> {
    let leaving = text.filter(|_| texts_leave);
    leaving.into_iter().chain(email).min().or(text)
}

#[must_use]
pub fn stated_response_time(wording: &TemplateWording) -> Option<Duration> {
    response_time::find_promised_time(&subject_and_body_text(wording)).map(|promised| promised.within)
}

pub(super) fn subject_and_body_text(wording: &TemplateWording) -> String {
    format!("{}\n{}", wording.subject.as_deref().unwrap_or_default(), wording.body)
}

fn subject_and_body(wording: &TemplateWording) -> SubjectAndBody {
    (wording.subject.clone(), wording.body.clone())
}

fn replace_texts(wording: &TemplateWording, (subject, body): SubjectAndBody) -> TemplateWording {
    TemplateWording { enabled: wording.enabled, subject, body }
}

fn map_texts((subject, body): &SubjectAndBody, other: impl Fn(&str) -> String) -> SubjectAndBody {
    (subject.as_deref().map(&other), other(body))
}

/// Promise of the wording. Read with customer names and messages replaced, because those promise nothing.
pub(super) fn parse_stated_promise(
    wording: &str,
    rendered: &str,
    variables: &WordingValues,
) -> Result<Option<PromisedResponseTime>> {
    let unnamed = template::render_text(wording, &variables.without_names())?;
    let promised = READ.get_or_compute(unnamed, |unnamed| response_time::find_promised_time(unnamed));
    Ok(promised.filter(|_| response_time::find_promised_time(rendered).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: Option<i64>, email: Option<i64>, is_sent: bool) -> Option<i64> {
        shortest_response_time(text.map(Duration::hours), email.map(Duration::hours), is_sent)
            .map(|time| time.num_hours())
    }

    #[test]
    fn shortest_promise_that_is_sent_applies_to_request() {
        assert_eq!(of(Some(1), Some(2), true), Some(1));
        assert_eq!(of(Some(4), Some(2), true), Some(2));
        assert_eq!(of(Some(1), Some(2), false), Some(2), "the text waits for a phone");
        assert_eq!(of(Some(1), None, false), Some(1));
        assert_eq!(of(None, None, true), None);
    }
}

//! Content of a claimed message as the provider gets it.

use serde::Deserialize;
use sqlx::types::Json;

use super::{ClaimedMessage, account, org};
use crate::{
    documents::{
        brand_color::{BrandColor, BrandPalette},
        template::{self, EmailSender},
    },
    platform::{error::Result, sms_segments::to_gsm7},
};

/// Color from the stored look settings.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct StoredColor {
    color: Option<String>,
}

impl ClaimedMessage {
    /// Replaces `mark` by `text_parts_with_links` at send time, for words that must not be stored.
    pub(crate) fn replace_placeholder(&mut self, mark: &str, words: &str) {
        self.body = self.body.replace(mark, words);
        let Some(Json(page)) = &mut self.page else { return };
        let buttons = [&mut page.button, &mut page.other_button, &mut page.leave].into_iter().flatten();
        for address in page.text.iter_mut().chain(buttons.map(|(_, address)| address)) {
            *address = address.replace(mark, words);
        }
    }

    /// Puts `safe` in place of the business's name: as the sender and in all words.
    pub(super) fn replace_business_name(&mut self, safe: String) {
        let named = std::mem::replace(&mut self.org_name, safe);
        let safe = self.org_name.as_str();
        // A text has the name in the letters of texts.
        let texted = to_gsm7(&named).unwrap_or_else(|| named.clone());
        let rename = |words: &mut String| {
            *words = replace_whole_name(&replace_whole_name(words, &named, safe), &texted, safe);
        };
        rename(&mut self.body);
        self.subject.iter_mut().for_each(rename);
        let Some(Json(page)) = &mut self.page else { return };
        let buttons = [&mut page.button, &mut page.other_button, &mut page.leave].into_iter().flatten();
        buttons.map(|(label, _)| label).for_each(rename);
        [&mut page.text, &mut page.fallback_subject].into_iter().flatten().for_each(rename);
        page.facts.iter_mut().flat_map(|(label, value)| [label, value]).for_each(rename);
        rename(&mut page.footer);
    }

    /// Display name of the sender. An address in it would pass for the sender's own.
    #[must_use]
    pub fn sender_display_name(&self) -> String {
        let name = org::strip_addresses(&self.org_name);
        if name.is_empty() { account::safe_business_name("") } else { name }
    }

    /// All parts that may contain links to our pages.
    pub(crate) fn text_parts_with_links(&self) -> impl Iterator<Item = &str> {
        let page = self.page.as_ref().map(|page| &page.0);
        let addresses = page.into_iter().flat_map(|page| {
            let buttons = [&page.button, &page.other_button, &page.leave].into_iter().flatten();
            page.text.iter().chain(buttons.map(|(_, address)| address))
        });
        std::iter::once(&self.body).chain(addresses).map(String::as_str)
    }

    /// # Errors
    /// Only if the layout of emails were broken, which a test rules out.
    pub fn render_html(&self) -> Result<Option<String>> {
        let heading = self.subject.as_deref().unwrap_or_default();
        let from = EmailSender { postal_address: self.postal_footer(), brand: self.brand_palette() };
        self.page
            .as_ref()
            .map(|page| template::render_html(&self.org_name, heading, &self.body, page, from))
            .transpose()
    }

    /// # Errors
    /// Only if the picture could not be encoded.
    pub fn render_chart(&self) -> Result<Option<Vec<u8>>> {
        self.page.as_ref().and_then(|page| page.chart.as_ref()).map(template::BarChart::render_png).transpose()
    }

    #[must_use]
    pub fn render_text(&self) -> String {
        let body = template::render_plain_text(&self.body, self.page.as_ref().map(|page| &page.0));
        match self.postal_footer() {
            // A body signed with the business's name does not get it again.
            Some(foot) if body.lines().last().is_some_and(|last| last.trim() == self.org_name) => {
                format!("{body}\n{foot}")
            }
            Some(foot) => format!("{body}\n\n{}\n{foot}", self.org_name),
            None => body,
        }
    }

    /// Unsubscribe address of an email (RFC 8058, which requires https).
    #[must_use]
    pub fn unsubscribe_url(&self) -> Option<&str> {
        let (_, link) = self.page.as_ref()?.leave.as_ref()?;
        link.starts_with("https://").then_some(link)
    }

    /// Colors of the business, in messages to its customers.
    fn brand_palette(&self) -> Option<BrandPalette> {
        let look = self.look.as_ref().filter(|_| self.kind.is_for_customers())?;
        BrandColor::parse_hex(look.color.as_deref()?).map(BrandColor::build_palette)
    }

    /// Postal address of the business, at the foot of messages to its customers (15 USC 7704(a)(5)).
    fn postal_footer(&self) -> Option<&str> {
        self.postal_address.as_deref().filter(|_| self.kind.is_for_customers())
    }
}

/// Replaces `name` where it is not a part of a word or of a link. A name without a letter or digit says nothing.
fn replace_whole_name(text: &str, name: &str, safe: &str) -> String {
    // A name of digits alone is also an amount or a number of an invoice.
    if !name.contains(char::is_alphabetic) {
        return text.to_owned();
    }
    let goes_on = |c: char| c.is_alphanumeric() || ['/', '=', '#', '~', '_', '-', '@'].contains(&c);
    let (mut replaced, mut end) = (String::with_capacity(text.len()), 0);
    for (at, _) in text.match_indices(name) {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        if before.ends_with(goes_on) || after.starts_with(goes_on) {
            continue;
        }
        replaced.push_str(&text[end..at]);
        replaced.push_str(safe);
        end = at + name.len();
    }
    replaced.push_str(&text[end..]);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_name_is_replaced_and_links_and_words_are_kept() {
        let renamed = |text: &str| replace_whole_name(text, "A/C Pros", "a business on Toolbox");
        assert_eq!(
            renamed("Join A/C Pros. A/C Pros's crew"),
            "Join a business on Toolbox. a business on Toolbox's crew"
        );
        for kept in ["https://x.example/A/C Pros", "FLA/C Pros", "A/C Prospects", ""] {
            assert_eq!(renamed(kept), kept);
        }
        assert_eq!(replace_whole_name("\u{1f527} wrote", "\u{1f527}", "safe"), "\u{1f527} wrote");
    }
}

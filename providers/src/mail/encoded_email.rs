//! MIME encoding of a letter, byte-identical on every attempt.

use std::fmt;

use lettre::{
    Address, Message,
    address::Envelope,
    message::{
        self, Mailbox, MultiPart, SinglePart,
        header::{ContentType, HeaderName, HeaderValue},
    },
};

use super::{Attachment, EmailMessage};
use crate::{
    RefusalReason::{self, BadAddress, Other, SetUp},
    SendError,
};

#[derive(Debug)]
pub(super) struct EncodedEmail {
    /// `<id@domain>`
    pub message_id: String,
    pub envelope: Envelope,
    /// With CRLF line ends; in practice ASCII.
    pub message: String,
}

/// Builds the message. Invalid header values are refused here, before any connection is opened.
pub(super) fn encode_email(letter: &EmailMessage<'_>, from: &Mailbox) -> Result<EncodedEmail, SendError> {
    let to =
        parse_address(letter.to.as_str()).ok_or_else(|| refusal_error(BadAddress, "the email address is not valid"))?;
    let reply_to = match letter.reply_to {
        None => None,
        Some(given) => Some(
            parse_address(given.as_str())
                .ok_or_else(|| refusal_error(SetUp, "the address for answers is not valid"))?,
        ),
    };
    let name = letter.from_name.map(ToOwned::to_owned).or_else(|| from.name.clone());
    for value in [Some(letter.subject), name.as_deref()].into_iter().flatten() {
        if value.chars().any(char::is_control) {
            return Err(refusal_error(Other, "the subject or the sender's name holds a line break"));
        }
    }
    let message_id = format!("<{}@{}>", letter.id, from.email.domain());
    let mut builder = Message::builder()
        .message_id(Some(message_id.clone()))
        .date(letter.date.into())
        .from(Mailbox::new(name.filter(|n| !n.is_empty()), from.email.clone()))
        .to(to.clone().into())
        .subject(letter.subject);
    if letter.is_automatic {
        builder = builder.raw_header(auto_submitted_header());
    }
    if let Some(address) = reply_to {
        builder = builder.reply_to(address.into());
    }
    if let Some(link) = letter.unsubscribe {
        if !link.starts_with("https://") || !link.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '<' | '>')) {
            return Err(refusal_error(Other, "the address to unsubscribe at cannot be put into an email"));
        }
        for (name, value) in
            [("List-Unsubscribe", format!("<{link}>")), ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".into())]
        {
            builder = builder.raw_header(HeaderValue::new(HeaderName::new_from_ascii_str(name), value));
        }
    }
    let text = SinglePart::plain(letter.text.to_owned());
    let both = letter.html.map(|html| build_alternative_part(letter, text.clone(), html)).transpose()?;
    let built = match both {
        _ if !letter.attachments.is_empty() => builder.multipart(build_mixed_part(letter, text, both)?),
        None => builder.singlepart(text),
        Some(both) => builder.multipart(both),
    };
    let message = built.ok().and_then(|m| String::from_utf8(m.formatted()).ok());
    let message = message.ok_or_else(|| refusal_error(Other, "the email cannot be put together"))?;
    let envelope = Envelope::new(Some(from.email.clone()), vec![to])
        .map_err(|_| refusal_error(BadAddress, "the email address is not valid"))?;
    Ok(EncodedEmail { message_id, envelope, message })
}

fn build_alternative_part(letter: &EmailMessage<'_>, text: SinglePart, html: &str) -> Result<MultiPart, SendError> {
    // Fixed boundary instead of a random one; it cannot occur in a text.
    let parts = MultiPart::alternative().boundary(format!("=_{}", letter.id.simple())).singlepart(text);
    let html = SinglePart::html(html.to_owned());
    if letter.pictures.is_empty() {
        return Ok(parts.singlepart(html));
    }
    let shown = MultiPart::related().boundary(format!("=-{}", letter.id.simple())).singlepart(html);
    let add = |parts: MultiPart, picture| {
        Ok::<_, SendError>(parts.singlepart(build_attachment_part(picture, message::Attachment::new_inline)?))
    };
    Ok(parts.multipart(letter.pictures.iter().try_fold(shown, add)?))
}

fn build_mixed_part(
    letter: &EmailMessage<'_>,
    text: SinglePart,
    both: Option<MultiPart>,
) -> Result<MultiPart, SendError> {
    // No boundary may be a prefix of another one of the same letter (RFC 2046, 5.1.1).
    let mixed = MultiPart::mixed().boundary(format!("=+{}", letter.id.simple()));
    let words = match both {
        None => mixed.singlepart(text),
        Some(both) => mixed.multipart(both),
    };
    letter.attachments.iter().try_fold(words, |parts, file| {
        Ok(parts.singlepart(self::build_attachment_part(file, message::Attachment::new)?))
    })
}

fn build_attachment_part(file: &Attachment, how: fn(String) -> message::Attachment) -> Result<SinglePart, SendError> {
    let kind = ContentType::parse(&file.content_type).ok().filter(|_| !file.name.chars().any(char::is_control));
    let kind = kind.ok_or_else(|| refusal_error(Other, "the attached file cannot be put into an email"))?;
    Ok(how(file.name.clone()).body(file.bytes.to_vec(), kind))
}

/// Marks the mail as automatic, so that out-of-office responders ignore it (RFC 3834).
fn auto_submitted_header() -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".into())
}

fn refusal_error(kind: RefusalReason, reason: &str) -> SendError {
    SendError::refused_error(kind, None, reason)
}

/// Converts the domain to ASCII, which every mail server accepts.
fn parse_address(given: &str) -> Option<Address> {
    let parsed: Address = given.trim().parse().ok().filter(|_| !given.chars().any(char::is_control))?;
    if parsed.domain().is_ascii() {
        return Some(parsed);
    }
    let url::Host::Domain(domain) = url::Host::parse(parsed.domain()).ok()? else { return None };
    Address::new(parsed.user(), domain).ok()
}

/// `Name <address>` or an address alone. The name is everything before the last `<`, quoted or not.
pub(super) fn parse_mailbox(given: &str) -> Option<Mailbox> {
    let Some((name, rest)) = given.trim().rsplit_once('<') else { return parse_address(given).map(Into::into) };
    let name = name.trim().trim_matches('"').trim();
    if name.chars().any(char::is_control) {
        return None;
    }
    let email = parse_address(rest.strip_suffix('>')?)?;
    Some(Mailbox::new((!name.is_empty()).then(|| name.to_owned()), email))
}

/// DATA encoding: leading dots doubled, final dot appended (RFC 5321 §4.5.2).
pub(super) struct DotStuffedBody<'a>(pub &'a str);

impl fmt::Display for DotStuffedBody<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.0.split_inclusive("\r\n") {
            if line.starts_with('.') {
                f.write_str(".")?;
            }
            f.write_str(line)?;
        }
        f.write_str(if self.0.ends_with("\r\n") { ".\r\n" } else { "\r\n.\r\n" })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use chrono::DateTime;
    use platform::email_address::EmailAddress;
    use uuid::Uuid;

    use super::*;

    fn address(text: &str) -> EmailAddress {
        EmailAddress::from_stored(text.to_owned())
    }

    fn letter() -> EmailMessage<'static> {
        static JOE: LazyLock<EmailAddress> = LazyLock::new(|| address("joe@example.com"));
        static ANN: LazyLock<EmailAddress> = LazyLock::new(|| address("ann@example.org"));
        EmailMessage {
            id: Uuid::from_u128(7),
            date: DateTime::from_timestamp(1_790_000_000, 0).unwrap(),
            from_name: None,
            reply_to: Some(&JOE),
            to: &ANN,
            subject: "Your request",
            text: "Hello\n.\nbye",
            html: Some("<p>Hello</p>"),
            attachments: &[],
            unsubscribe: None,
            pictures: &[],
            is_automatic: true,
        }
    }

    fn sealed(letter: &EmailMessage<'_>) -> String {
        encode_email(letter, &parse_mailbox("Toolbox <office@toolbox.example>").unwrap()).unwrap().message
    }

    #[test]
    fn letter_is_identical_on_every_try() {
        let first = sealed(&letter());
        assert_eq!(first, sealed(&letter()));
        let id = "Message-ID: <00000000-0000-0000-0000-000000000007@toolbox.example>\r\n";
        for part in [
            id,
            "Reply-To: joe@example.com\r\n",
            "multipart/alternative",
            "text/plain",
            "text/html",
            "Auto-Submitted: ",
        ] {
            assert!(first.contains(part), "{part} in {first}");
        }
        assert!(!first.replace("\r\n", "").contains(['\r', '\n']), "bare line ends");
    }

    fn paper(name: &str) -> [Attachment; 1] {
        let bytes = (0..=255_u8).cycle().take(1000).collect::<Vec<_>>().into();
        [Attachment { name: name.into(), content_type: "application/pdf".into(), bytes }]
    }

    #[test]
    fn attachment_follows_the_text_and_is_identical_on_every_try() {
        use base64::{Engine, engine::general_purpose::STANDARD};
        for html in [None, Some("<p>Hello</p>")] {
            let files = paper("Łukasz Nowak - Estimate EST-1001.pdf");
            let letter = EmailMessage { html, attachments: &files, ..letter() };
            let first = sealed(&letter);
            assert_eq!(first, sealed(&letter));
            assert!(first.is_ascii() && first.lines().all(|line| line.len() <= 998));
            assert_eq!(first.contains("multipart/alternative"), html.is_some());
            let (words, file) = first.split_once("Content-Type: application/pdf").unwrap();
            assert!(words.contains("multipart/mixed") && words.contains("text/plain"), "{words}");
            assert!(words.contains("Content-Disposition: attachment;") && words.contains("utf-8''"), "{words}");
            let (_, coded) = file.split_once("\r\n\r\n").unwrap();
            let coded: String = coded.split("\r\n--").next().unwrap().split_whitespace().collect();
            assert_eq!(STANDARD.decode(coded).unwrap(), files[0].bytes);
        }
    }

    #[test]
    fn inline_picture_is_related_to_the_html_and_attachments_come_last() {
        let picture =
            [Attachment { name: "chart".into(), content_type: "image/png".into(), bytes: vec![137, 80].into() }];
        let files = paper("a.pdf");
        let letter =
            EmailMessage { html: Some("<img src=\"cid:chart\">"), pictures: &picture, attachments: &files, ..letter() };
        let first = sealed(&letter);
        assert_eq!(first, sealed(&letter));
        let order = [
            "multipart/mixed",
            "multipart/alternative",
            "text/plain",
            "multipart/related",
            "text/html",
            "image/png",
            "application/pdf",
        ];
        let found: Vec<usize> =
            order.iter().map(|part| first.find(part).unwrap_or_else(|| panic!("{part} in {first}"))).collect();
        assert!(found.is_sorted(), "{found:?} in {first}");
        assert!(
            first.contains("Content-ID: <chart>\r\n") && first.contains("Content-Disposition: inline\r\n"),
            "{first}"
        );
    }

    #[test]
    fn invalid_attachment_is_refused_before_sending() {
        let from = parse_mailbox("office@toolbox.example").unwrap();
        let [strange] = paper("a\r\nBcc: b@c.example");
        let [mut untyped] = paper("a.pdf");
        untyped.content_type = "pdf".into();
        for files in [[strange], [untyped]] {
            let error = encode_email(&EmailMessage { attachments: &files, ..letter() }, &from).unwrap_err();
            assert_eq!(error.reason(), "the attached file cannot be put into an email");
        }
    }

    #[test]
    fn non_ascii_headers_and_text_are_encoded_as_ascii() {
        let message = sealed(&EmailMessage {
            from_name: Some("Łódź \"Roof\" & Söhne, <Co>"),
            subject: "Ваш запрос ✓ 屋根",
            text: "grüß dich 👷",
            to: &address("ann@bücher.example"),
            ..letter()
        });
        assert!(message.is_ascii() && message.contains("To: ann@xn--bcher-kva.example\r\n"), "{message}");
        assert_eq!(message.matches("\r\nFrom: ").count() + message.matches("\r\nTo: ").count(), 2, "{message}");
        assert!(message.lines().all(|line| line.len() <= 998));
    }

    #[test]
    fn header_injection_is_refused_in_every_field() {
        let evil = "x\r\nBcc: all@example.org";
        let from = parse_mailbox("office@toolbox.example").unwrap();
        for (letter, kind) in [
            (EmailMessage { subject: evil, ..letter() }, Other),
            (EmailMessage { subject: "x\nBcc: y", ..letter() }, Other),
            (EmailMessage { from_name: Some(evil), ..letter() }, Other),
            (EmailMessage { reply_to: Some(&address("joe@example.com\r\nBcc: a@b.example")), ..letter() }, SetUp),
            (EmailMessage { to: &address("ann@example.org\r\nBcc: a@b.example"), ..letter() }, BadAddress),
            (EmailMessage { to: &address("ann@example.org>, <a@b.example"), ..letter() }, BadAddress),
            (EmailMessage { to: &address("ann@example.org,bob@example.org"), ..letter() }, BadAddress),
            (EmailMessage { to: &address(""), ..letter() }, BadAddress),
        ] {
            let error = encode_email(&letter, &from).unwrap_err();
            assert!(matches!(&error, SendError::Refused { kind: k, .. } if *k == kind), "{letter:?}: {error:?}");
            assert!(!error.reason().contains("example"), "{error}");
        }
    }

    #[test]
    fn auto_submitted_header_is_set_only_on_automatic_mail() {
        assert!(sealed(&letter()).contains("Auto-Submitted: auto-generated\r\n"));
        assert!(!sealed(&EmailMessage { is_automatic: false, ..letter() }).contains("Auto-Submitted"));
    }

    #[test]
    fn unsubscribe_link_sets_one_click_headers_and_must_be_https() {
        let plain = sealed(&letter());
        assert!(!plain.contains("List-Unsubscribe"), "{plain}");
        let link = "https://toolbox.example/r/mQpT4nA2b6Xr0wYc8uLe1sVd3fGh5jKz7iOa9tBv2Nk/stop";
        let message = sealed(&EmailMessage { unsubscribe: Some(link), ..letter() });
        assert!(message.contains(&format!("List-Unsubscribe: <{link}>\r\n")), "{message}");
        assert!(message.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"), "{message}");
        let from = parse_mailbox("office@toolbox.example").unwrap();
        for evil in ["https://a.example/>\r\nBcc: b@c.example", "http://a.example/x", "mailto:a@b.example"] {
            assert!(encode_email(&EmailMessage { unsubscribe: Some(evil), ..letter() }, &from).is_err(), "{evil}");
        }
    }

    #[test]
    fn leading_dots_are_doubled() {
        for (given, sent) in [
            ("a\r\n", "a\r\n.\r\n"),
            ("a", "a\r\n.\r\n"),
            (".a\r\n..\r\nb.\r\n", "..a\r\n...\r\nb.\r\n.\r\n"),
            ("a\r\n.\r\nQUIT\r\n", "a\r\n..\r\nQUIT\r\n.\r\n"),
            ("a\r\n.", "a\r\n..\r\n.\r\n"),
        ] {
            assert_eq!(DotStuffedBody(given).to_string(), sent, "{given:?}");
        }
    }
}

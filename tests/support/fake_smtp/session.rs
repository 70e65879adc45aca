//! One conversation (RFC 5321), from the greeting to QUIT or a fault.

use std::{future::pending, io, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    net::TcpStream,
};

use super::{FakeSmtp, Fault, ReceivedEmail, Tls, Verb};
use crate::fake_twilio::now_us;

/// Far above any mail of ours.
const MAX_LINE: usize = 1_000_000;

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

struct Session<'a, S> {
    fake: &'a FakeSmtp,
    stream: BufReader<S>,
    encrypted: bool,
    signed_in: bool,
    wait: Duration,
    sender: Option<String>,
    receivers: Vec<String>,
}

enum Then {
    Go,
    Close,
    Encrypt,
}

/// Serves one connection until it ends, often with an error.
pub async fn serve(fake: &FakeSmtp, stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    fake.book().connections += 1;
    let wait = match fake.fault_if(|f| matches!(f, Fault::Tarpit { .. })) {
        Some(Fault::Tarpit { millis }) => Duration::from_millis(millis),
        _ => Duration::ZERO,
    };
    if let Tls::Implicit(certificate) = &fake.options.tls {
        let mut session = Session::new(fake, certificate.accept(stream).await?, true, wait);
        return session.greet_and_talk().await.map(drop);
    }
    let mut session = Session::new(fake, stream, false, wait);
    match (session.greet_and_talk().await?, &fake.options.tls) {
        (Then::Encrypt, Tls::Offered(certificate)) => {
            let stream = certificate.accept(session.stream.into_inner()).await?;
            Session::new(fake, stream, true, wait).talk().await.map(drop)
        }
        _ => Ok(()),
    }
}

impl<'a, S: Stream> Session<'a, S> {
    fn new(fake: &'a FakeSmtp, stream: S, encrypted: bool, wait: Duration) -> Self {
        let stream = BufReader::new(stream);
        Self { fake, stream, encrypted, signed_in: false, wait, sender: None, receivers: vec![] }
    }

    async fn greet_and_talk(&mut self) -> io::Result<Then> {
        match self.reply(Verb::Greeting, "220 fake.example ESMTP").await? {
            Then::Go => self.talk().await,
            end => Ok(end),
        }
    }

    async fn talk(&mut self) -> io::Result<Then> {
        loop {
            let line = self.line().await?;
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            self.fake.book().verbs.push(verb.clone());
            match self.obey(&verb, &line).await? {
                Then::Go => {}
                end => return Ok(end),
            }
        }
    }

    async fn obey(&mut self, verb: &str, line: &str) -> io::Result<Then> {
        match verb {
            "EHLO" | "HELO" => {
                let offers = self.offers();
                self.reply(Verb::Ehlo, &offers).await
            }
            "STARTTLS" if !self.encrypted && matches!(self.fake.options.tls, Tls::Offered(_)) => {
                match self.reply(Verb::Starttls, "220 2.0.0 go ahead").await? {
                    Then::Go => Ok(Then::Encrypt),
                    end => Ok(end),
                }
            }
            "AUTH" => self.sign_in(line).await,
            "NOOP" => self.reply(Verb::Noop, "250 2.0.0 ok").await,
            "RSET" => {
                self.receivers.clear();
                self.say("250 2.0.0 ok").await
            }
            "MAIL" => {
                let allowed = self.fake.options.login.is_none() || self.signed_in;
                self.sender = allowed.then(|| between_brackets(line));
                self.receivers.clear();
                let usual = if allowed { "250 2.1.0 ok" } else { "530 5.7.0 authentication required" };
                self.reply(Verb::Mail, usual).await
            }
            "RCPT" if self.sender.is_some() => {
                let then = self.reply(Verb::Rcpt, "250 2.1.5 ok").await?;
                self.receivers.push(between_brackets(line));
                Ok(then)
            }
            "DATA" if !self.receivers.is_empty() => match self.reply(Verb::Data, "354 end with a dot").await? {
                Then::Go => self.letter().await,
                end => Ok(end),
            },
            "QUIT" => {
                self.say("221 2.0.0 bye").await?;
                Ok(Then::Close)
            }
            "RCPT" | "DATA" => self.say("503 5.5.1 out of order").await,
            _ => self.say("502 5.5.2 unknown").await,
        }
    }

    fn offers(&self) -> String {
        let mut lines = vec!["fake.example", "8BITMIME", "SMTPUTF8"];
        if !self.encrypted && matches!(self.fake.options.tls, Tls::Offered(_)) {
            lines.push("STARTTLS");
        }
        if self.fake.options.login.is_some() {
            lines.push("AUTH PLAIN LOGIN");
        }
        let last = lines.len() - 1;
        let each = lines.iter().enumerate();
        let each = each.map(|(n, line)| format!("250{}{line}", if n == last { " " } else { "-" }));
        each.collect::<Vec<_>>().join("\r\n")
    }

    /// PLAIN with its answer on the same line, or LOGIN with two questions.
    async fn sign_in(&mut self, line: &str) -> io::Result<Then> {
        let mut words = line.split(' ').skip(1);
        let given = match (words.next(), words.next()) {
            (Some("PLAIN"), Some(answer)) => decoded(answer),
            (Some("LOGIN"), _) => {
                self.say("334 VXNlcm5hbWU6").await?;
                let user = decoded(&self.line().await?);
                self.say("334 UGFzc3dvcmQ6").await?;
                format!("\0{user}\0{}", decoded(&self.line().await?))
            }
            _ => return self.say("504 5.5.4 unknown mechanism").await,
        };
        let right = self.fake.options.login.as_ref().is_some_and(|(u, p)| given == format!("\0{u}\0{p}"));
        let usual = if right { "235 2.7.0 welcome" } else { "535 5.7.8 bad user or password" };
        let then = self.reply(Verb::Auth, usual).await?;
        self.signed_in = right;
        Ok(then)
    }

    async fn letter(&mut self) -> io::Result<Then> {
        let mut raw = String::new();
        loop {
            let line = self.line().await?;
            if line == "." {
                break;
            }
            raw.push_str(line.strip_prefix('.').unwrap_or(&line));
            raw.push_str("\r\n");
        }
        let fault = self.fake.fault_if(|f| {
            matches!(f, Fault::CloseAfterDot { .. } | Fault::SilenceAfterDot { .. } | Fault::AcceptThenClose)
        });
        let refused = self
            .fake
            .book()
            .script
            .front()
            .is_some_and(|f| matches!(f, Fault::Reply { verb: Verb::Dot, .. } | Fault::Close { verb: Verb::Dot }));
        let thrown_away =
            matches!(fault, Some(Fault::CloseAfterDot { keep: false } | Fault::SilenceAfterDot { keep: false }));
        if !refused && !thrown_away {
            self.store(raw);
        }
        match fault {
            Some(Fault::CloseAfterDot { .. }) => Ok(Then::Close),
            Some(Fault::SilenceAfterDot { .. }) => pending().await,
            Some(_) => self.say("250 2.0.0 queued as FAKE").await.map(|_| Then::Close),
            None => self.reply(Verb::Dot, "250 2.0.0 queued as FAKE").await,
        }
    }

    fn store(&mut self, raw: String) {
        let from = self.sender.take().unwrap_or_default();
        let to = std::mem::take(&mut self.receivers);
        self.fake.book().letters.push(ReceivedEmail { from, to, raw, encrypted: self.encrypted, at_us: now_us() });
    }

    /// The usual reply, unless a fault is scripted.
    async fn reply(&mut self, verb: Verb, usual: &str) -> io::Result<Then> {
        let fault =
            self.fake.fault_if(|f| matches!(f, Fault::Reply { verb: v, .. } | Fault::Close { verb: v } if *v == verb));
        match fault {
            Some(Fault::Reply { reply, .. }) => {
                self.say(&reply).await?;
                Ok(if reply.starts_with("421") { Then::Close } else { Then::Go })
            }
            Some(_) => Ok(Then::Close),
            None => self.say(usual).await,
        }
    }

    async fn say(&mut self, reply: &str) -> io::Result<Then> {
        if !self.wait.is_zero() {
            tokio::time::sleep(self.wait).await;
        }
        self.stream.write_all(format!("{reply}\r\n").as_bytes()).await?;
        self.stream.flush().await?;
        Ok(Then::Go)
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).await?;
        if read == 0 || read > MAX_LINE {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

fn between_brackets(line: &str) -> String {
    let inner = line.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    inner.map(|(address, _)| address.to_owned()).unwrap_or_default()
}

fn decoded(answer: &str) -> String {
    STANDARD.decode(answer).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

//! SMTP delivery with a small connection pool.
//!
//! Commands are issued one by one instead of through lettre's transport, because the phase in which a session ends
//! decides whether the letter may be sent again.

use std::{
    collections::VecDeque,
    error::Error as _,
    fmt,
    future::Future,
    net::Ipv4Addr,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use lettre::{
    Address,
    address::Envelope,
    message::Mailbox,
    transport::smtp::{
        authentication::{Credentials, Mechanism},
        client::{AsyncSmtpConnection, Certificate, TlsParameters},
        commands::{Data, Mail, Noop, Rcpt},
        extension::{ClientId, Extension, MailBodyParameter, MailParameter},
        response::Response,
    },
};
use platform::tls::{install_crypto_provider, warn_if_untrusting};
use secrecy::ExposeSecret;
use tokio::{
    net::TcpStream,
    time::{Instant, timeout},
};

use super::{
    EmailMessage, SmtpEncryption, SmtpServer, encoded_email,
    replies::{SmtpFailure, SmtpOutcome, SmtpPhase, parse_enhanced_code},
};
use crate::{AcceptedMessage, SendError, SmsCost};

/// Idle connections kept.
const MAX_IDLE: usize = 4;
const MAX_IDLE_TIME: Duration = Duration::from_mins(1);

#[derive(Debug, Clone, Copy)]
pub struct SmtpTimeouts {
    /// DNS and connecting, including implicit TLS.
    pub connect: Duration,
    pub reply: Duration,
    /// Reply to the final dot, while the server stores or relays the letter.
    pub content: Duration,
}

impl Default for SmtpTimeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), reply: Duration::from_secs(30), content: Duration::from_mins(1) }
    }
}

/// Clones share the connections.
#[derive(Clone)]
pub struct SmtpPool {
    shared: Arc<SmtpPoolShared>,
    timeouts: SmtpTimeouts,
}

struct SmtpPoolShared {
    server: SmtpServer,
    from: Mailbox,
    idle: Mutex<VecDeque<IdleConnection>>,
    /// Created on first use: reading the machine's certificates is slow, and not every process sends mail.
    tls: OnceLock<TlsParameters>,
}

struct IdleConnection {
    connection: AsyncSmtpConnection,
    since: Instant,
}

impl fmt::Debug for SmtpPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmtpPool")
            .field("server", &self.shared.server)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}

impl SmtpPool {
    #[must_use]
    pub fn new(server: SmtpServer, from: Mailbox) -> Self {
        let shared = SmtpPoolShared { server, from, idle: Mutex::default(), tls: OnceLock::new() };
        Self { shared: Arc::new(shared), timeouts: SmtpTimeouts::default() }
    }

    #[must_use]
    pub fn with_timeouts(self, timeouts: SmtpTimeouts) -> Self {
        Self { timeouts, ..self }
    }

    pub(super) async fn send(&self, letter: &EmailMessage<'_>) -> Result<AcceptedMessage, SendError> {
        let sealed = encoded_email::encode_email(letter, &self.shared.from)?;
        let mut ended = Ok(None);
        if let Some(connection) = self.take_idle_connection().await {
            ended = self.deliver(connection, &sealed).await.map(Some);
        }
        // Nothing of the letter was sent, so a new connection is not a second attempt.
        let reply = match ended {
            Ok(Some(reply)) => Ok(reply),
            Ok(None) => self.deliver_on_new_connection(&sealed).await,
            Err(failure) if failure.is_possibly_stale() => self.deliver_on_new_connection(&sealed).await,
            Err(failure) => Err(failure),
        };
        let reply = reply.map_err(|failure| failure.to_send_error())?;
        Ok(AcceptedMessage {
            provider_id: sealed.message_id,
            provider_status: Some(reply_summary(&reply)),
            stored_as: None,
            bill: SmsCost::default(),
        })
    }

    pub(super) async fn check_connection(&self) -> Result<(), SendError> {
        let mut connection = self.connect().await.map_err(|failure| failure.to_send_error())?;
        // The result is known; a failing QUIT does not matter.
        drop(timeout(self.timeouts.connect, connection.quit()).await);
        Ok(())
    }

    async fn deliver_on_new_connection(&self, sealed: &encoded_email::EncodedEmail) -> Result<Response, SmtpFailure> {
        let connection = self.connect().await?;
        self.deliver(connection, sealed).await
    }

    /// Delivers one letter. A connection is kept only after a success; every failure closes it.
    async fn deliver(
        &self,
        mut connection: AsyncSmtpConnection,
        sealed: &encoded_email::EncodedEmail,
    ) -> Result<Response, SmtpFailure> {
        let options = mail_parameters(&connection, &sealed.envelope, &sealed.message)?;
        let reply = self.timeouts.reply;
        let sender = Mail::new(sealed.envelope.from().cloned(), options);
        await_reply(SmtpPhase::Sender, reply, connection.command(sender)).await?;
        for to in sealed.envelope.to() {
            await_reply(SmtpPhase::Receiver, reply, connection.command(Rcpt::new(to.clone(), vec![]))).await?;
        }
        let go = await_reply(SmtpPhase::Data, reply, connection.command(Data)).await?;
        if !go.has_code(354) {
            return Err(SmtpFailure { phase: SmtpPhase::Data, outcome: SmtpOutcome::InvalidReply });
        }
        // One write for the letter and its final dot: a separate dot would wait for the delayed acknowledgement of the
        // first write, some 40 ms per letter.
        let taken = await_reply(
            SmtpPhase::Content,
            self.timeouts.content,
            connection.command(encoded_email::DotStuffedBody(&sealed.message)),
        )
        .await?;
        if u16::from(taken.code()) / 100 != 2 {
            return Err(SmtpFailure { phase: SmtpPhase::Content, outcome: SmtpOutcome::InvalidReply });
        }
        self.return_to_pool(connection);
        Ok(taken)
    }

    /// An idle connection that still answers.
    async fn take_idle_connection(&self) -> Option<AsyncSmtpConnection> {
        loop {
            let IdleConnection { mut connection, since } = self.lock_idle().pop_back()?;
            let wait = self.timeouts.reply.min(Duration::from_secs(5));
            if since.elapsed() < MAX_IDLE_TIME
                && await_reply(SmtpPhase::Connect, wait, connection.command(Noop)).await.is_ok()
            {
                return Some(connection);
            }
        }
    }

    fn return_to_pool(&self, connection: AsyncSmtpConnection) {
        let mut idle = self.lock_idle();
        idle.push_back(IdleConnection { connection, since: Instant::now() });
        if idle.len() > MAX_IDLE {
            drop(idle.pop_front());
        }
    }

    /// A poisoned lock still holds valid connections: each is moved in or out in one step.
    fn lock_idle(&self) -> MutexGuard<'_, VecDeque<IdleConnection>> {
        self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, SmtpFailure> {
        let SmtpServer { encryption, login, .. } = &self.shared.server;
        let mut connection = match encryption {
            SmtpEncryption::Implicit => self.connect_encrypted().await?,
            _ => self.connect_plain().await?,
        };
        match encryption {
            SmtpEncryption::Required if !connection.can_starttls() => {
                return Err(SmtpFailure { phase: SmtpPhase::Encrypt, outcome: SmtpOutcome::NotOffered });
            }
            SmtpEncryption::Required | SmtpEncryption::Opportunistic if connection.can_starttls() => {
                let wait = self.timeouts.connect + self.timeouts.reply;
                await_reply(SmtpPhase::Encrypt, wait, connection.starttls(self.tls_parameters()?, &self.ehlo_name()))
                    .await?;
            }
            _ => {}
        }
        if let Some((user, password)) = login {
            let mechanisms = [Mechanism::Plain, Mechanism::Login];
            if connection.server_info().get_auth_mechanism(&mechanisms).is_none() {
                return Err(SmtpFailure { phase: SmtpPhase::SignIn, outcome: SmtpOutcome::NotOffered });
            }
            let credentials = Credentials::new(user.expose_secret().into(), password.expose_secret().into());
            await_reply(SmtpPhase::SignIn, self.timeouts.reply, connection.auth(&mechanisms, &credentials)).await?;
        }
        Ok(connection)
    }

    async fn connect_plain(&self) -> Result<AsyncSmtpConnection, SmtpFailure> {
        let address = (self.shared.server.bare_host(), self.shared.server.port);
        let nothing = |outcome| SmtpFailure { phase: SmtpPhase::Connect, outcome };
        let stream = match timeout(self.timeouts.connect, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(_)) => return Err(nothing(SmtpOutcome::ConnectionLost)),
            Err(_) => return Err(nothing(SmtpOutcome::TimedOut)),
        };
        stream.set_nodelay(true).map_err(|_| nothing(SmtpOutcome::ConnectionLost))?;
        let hello = self.ehlo_name();
        let greeted = AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello);
        await_reply(SmtpPhase::Connect, self.timeouts.reply, greeted).await
    }

    async fn connect_encrypted(&self) -> Result<AsyncSmtpConnection, SmtpFailure> {
        let address = (self.shared.server.bare_host(), self.shared.server.port);
        let (hello, limit) = (self.ehlo_name(), self.timeouts.connect);
        let greeted =
            AsyncSmtpConnection::connect_tokio1(address, Some(limit), &hello, Some(self.tls_parameters()?), None);
        await_reply(SmtpPhase::Connect, limit + self.timeouts.reply, greeted).await
    }

    fn tls_parameters(&self) -> Result<TlsParameters, SmtpFailure> {
        if let Some(made) = self.shared.tls.get() {
            return Ok(made.clone());
        }
        install_crypto_provider();
        warn_if_untrusting();
        let server = &self.shared.server;
        let failed = |_| SmtpFailure { phase: SmtpPhase::Encrypt, outcome: SmtpOutcome::BadTls };
        let mut builder = TlsParameters::builder(server.bare_host().to_owned())
            .dangerous_accept_invalid_certs(server.encryption == SmtpEncryption::Opportunistic);
        if let Some(der) = &server.trusted_certificate {
            builder = builder.add_root_certificate(Certificate::from_der(der.clone()).map_err(failed)?);
        }
        let made = builder.build().map_err(failed)?;
        Ok(self.shared.tls.get_or_init(|| made).clone())
    }

    /// EHLO name: the domain of the sender, because the machine's own name is seldom public.
    fn ehlo_name(&self) -> ClientId {
        match self.shared.from.email.domain() {
            domain if domain.contains('.') && !domain.starts_with('[') => ClientId::Domain(domain.to_owned()),
            _ => ClientId::Ipv4(Ipv4Addr::LOCALHOST),
        }
    }
}

fn mail_parameters(
    connection: &AsyncSmtpConnection,
    envelope: &Envelope,
    message: &str,
) -> Result<Vec<MailParameter>, SmtpFailure> {
    let offers = |feature| connection.server_info().supports_feature(feature);
    let mut options = vec![];
    let ascii = |address: &Address| address.to_string().is_ascii();
    if !envelope.from().into_iter().chain(envelope.to()).all(ascii) {
        if !offers(Extension::SmtpUtfEight) {
            return Err(SmtpFailure { phase: SmtpPhase::Receiver, outcome: SmtpOutcome::NotOffered });
        }
        options.push(MailParameter::SmtpUtfEight);
    }
    if !message.is_ascii() && offers(Extension::EightBitMime) {
        options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    Ok(options)
}

async fn await_reply<T>(
    phase: SmtpPhase,
    limit: Duration,
    reply: impl Future<Output = Result<T, lettre::transport::smtp::Error>>,
) -> Result<T, SmtpFailure> {
    match timeout(limit, reply).await {
        Ok(Ok(reply)) => Ok(reply),
        Ok(Err(e)) => Err(SmtpFailure { phase, outcome: classify_error(&e) }),
        Err(_) => Err(SmtpFailure { phase, outcome: SmtpOutcome::TimedOut }),
    }
}

fn classify_error(error: &lettre::transport::smtp::Error) -> SmtpOutcome {
    if let Some(code) = error.status() {
        let enhanced = error.source().and_then(|text| parse_enhanced_code(&text.to_string()));
        return SmtpOutcome::Reply { code: code.into(), enhanced };
    }
    let says = |text: &str| error.source().is_some_and(|source| source.to_string() == text);
    if error.is_tls() || is_caused_by_tls(error) {
        SmtpOutcome::BadTls
    } else if error.is_timeout() {
        SmtpOutcome::TimedOut
    } else if error.is_response() && !says("incomplete response") {
        SmtpOutcome::InvalidReply
    } else {
        SmtpOutcome::ConnectionLost
    }
}

/// Searches the error chain for TLS: the library wraps it in an I/O error inside its own error.
fn is_caused_by_tls(error: &lettre::transport::smtp::Error) -> bool {
    let mut cause = error.source();
    while let Some(this) = cause {
        let inner = this.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if this.is::<rustls::Error>() || inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<rustls::Error>) {
            return true;
        }
        cause = this.source();
    }
    false
}

/// Start of the server's reply to the final dot, which contains its queue id.
fn reply_summary(reply: &Response) -> String {
    let text = reply.first_line().unwrap_or_default();
    let text: String = text.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').take(120).collect();
    format!("{} {text}", reply.code()).trim_end().to_owned()
}

//! Email over SMTP, with a small pool of open connections.
//!
//! The commands are issued one by one instead of through lettre's own transport, because the phase in which a
//! conversation ends decides whether the letter may be sent again.

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
use secrecy::ExposeSecret;
use tokio::{
    net::TcpStream,
    time::{Instant, timeout},
};

use super::{
    Encryption, Letter, SmtpServer, letter,
    replies::{Failure, Heard, Phase, enhanced_code},
};
use crate::{
    platform::tls::install_crypto,
    providers::{Accepted, Bill, SendError},
};

/// Connections kept open between letters.
const MAX_IDLE: usize = 4;
const MAX_IDLE_TIME: Duration = Duration::from_mins(1);

/// How long each step may take.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// Looking up and connecting, with TLS where it comes first.
    pub connect: Duration,
    /// Each reply.
    pub reply: Duration,
    /// The reply to the final dot, while the server stores the letter or hands it on.
    pub content: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), reply: Duration::from_secs(30), content: Duration::from_mins(1) }
    }
}

/// A mail server, and the connections to it that stand open. Clones share them.
#[derive(Clone)]
pub struct SmtpPool {
    shared: Arc<Shared>,
    timeouts: Timeouts,
}

struct Shared {
    server: SmtpServer,
    from: Mailbox,
    idle: Mutex<VecDeque<Idle>>,
    /// Made at the first use: reading the machine's certificates takes a while, and not every process sends mail.
    tls: OnceLock<TlsParameters>,
}

struct Idle {
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
    /// A pool without connections: the first letter opens one.
    #[must_use]
    pub fn new(server: SmtpServer, from: Mailbox) -> Self {
        let shared = Shared { server, from, idle: Mutex::default(), tls: OnceLock::new() };
        Self { shared: Arc::new(shared), timeouts: Timeouts::default() }
    }

    /// The same pool with other limits.
    #[must_use]
    pub fn with_timeouts(self, timeouts: Timeouts) -> Self {
        Self { timeouts, ..self }
    }

    pub(super) async fn send(&self, letter: &Letter<'_>) -> Result<Accepted, SendError> {
        let sealed = letter::seal(letter, &self.shared.from)?;
        let mut ended = Ok(None);
        if let Some(connection) = self.reuse().await {
            ended = self.deliver(connection, &sealed).await.map(Some);
        }
        // Nothing of the letter had left us, so a new connection is not a second try of it.
        let reply = match ended {
            Ok(Some(reply)) => Ok(reply),
            Ok(None) => self.deliver_afresh(&sealed).await,
            Err(failure) if failure.may_be_stale() => self.deliver_afresh(&sealed).await,
            Err(failure) => Err(failure),
        };
        let reply = reply.map_err(|failure| failure.class())?;
        Ok(Accepted {
            provider_id: sealed.message_id,
            provider_status: Some(first_line(&reply)),
            stored_as: None,
            bill: Bill::default(),
        })
    }

    /// Connects and signs in, and hands over nothing.
    pub(super) async fn probe(&self) -> Result<(), SendError> {
        let mut connection = self.connect().await.map_err(|failure| failure.class())?;
        // The answer is known by now; a server that does not take leave politely is none the worse.
        drop(timeout(self.timeouts.connect, connection.quit()).await);
        Ok(())
    }

    async fn deliver_afresh(&self, sealed: &letter::Sealed) -> Result<Response, Failure> {
        let connection = self.connect().await?;
        self.deliver(connection, sealed).await
    }

    /// Hands over one letter. A connection is kept only after a success; every failure closes it.
    async fn deliver(&self, mut connection: AsyncSmtpConnection, sealed: &letter::Sealed) -> Result<Response, Failure> {
        let options = options(&connection, &sealed.envelope, &sealed.message)?;
        let reply = self.timeouts.reply;
        let sender = Mail::new(sealed.envelope.from().cloned(), options);
        step(Phase::Sender, reply, connection.command(sender)).await?;
        for to in sealed.envelope.to() {
            step(Phase::Receiver, reply, connection.command(Rcpt::new(to.clone(), vec![]))).await?;
        }
        let go = step(Phase::Data, reply, connection.command(Data)).await?;
        if !go.has_code(354) {
            return Err(Failure { phase: Phase::Data, heard: Heard::Nonsense });
        }
        // One write for the letter and its final dot. In two, the dot would wait for the first part's delayed
        // acknowledgement, some 40 ms a letter.
        let taken =
            step(Phase::Content, self.timeouts.content, connection.command(letter::Content(&sealed.message))).await?;
        if u16::from(taken.code()) / 100 != 2 {
            return Err(Failure { phase: Phase::Content, heard: Heard::Nonsense });
        }
        self.keep(connection);
        Ok(taken)
    }

    /// An idle connection that still answers.
    async fn reuse(&self) -> Option<AsyncSmtpConnection> {
        loop {
            let Idle { mut connection, since } = self.idle().pop_back()?;
            let wait = self.timeouts.reply.min(Duration::from_secs(5));
            if since.elapsed() < MAX_IDLE_TIME && step(Phase::Connect, wait, connection.command(Noop)).await.is_ok() {
                return Some(connection);
            }
        }
    }

    fn keep(&self, connection: AsyncSmtpConnection) {
        let mut idle = self.idle();
        idle.push_back(Idle { connection, since: Instant::now() });
        if idle.len() > MAX_IDLE {
            drop(idle.pop_front());
        }
    }

    /// A poisoned lock still holds whole connections: each is moved in or out in one step.
    fn idle(&self) -> MutexGuard<'_, VecDeque<Idle>> {
        self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, Failure> {
        let SmtpServer { encryption, login, .. } = &self.shared.server;
        let mut connection = match encryption {
            Encryption::Implicit => self.connect_encrypted().await?,
            _ => self.connect_plain().await?,
        };
        match encryption {
            Encryption::Required if !connection.can_starttls() => {
                return Err(Failure { phase: Phase::Encrypt, heard: Heard::NotOffered });
            }
            Encryption::Required | Encryption::Opportunistic if connection.can_starttls() => {
                let wait = self.timeouts.connect + self.timeouts.reply;
                step(Phase::Encrypt, wait, connection.starttls(self.tls()?, &self.hello())).await?;
            }
            _ => {}
        }
        if let Some((user, password)) = login {
            let mechanisms = [Mechanism::Plain, Mechanism::Login];
            if connection.server_info().get_auth_mechanism(&mechanisms).is_none() {
                return Err(Failure { phase: Phase::SignIn, heard: Heard::NotOffered });
            }
            let credentials = Credentials::new(user.expose_secret().into(), password.expose_secret().into());
            step(Phase::SignIn, self.timeouts.reply, connection.auth(&mechanisms, &credentials)).await?;
        }
        Ok(connection)
    }

    async fn connect_plain(&self) -> Result<AsyncSmtpConnection, Failure> {
        let address = (self.shared.server.bare_host(), self.shared.server.port);
        let nothing = |heard| Failure { phase: Phase::Connect, heard };
        let stream = match timeout(self.timeouts.connect, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(_)) => return Err(nothing(Heard::Nothing)),
            Err(_) => return Err(nothing(Heard::Silence)),
        };
        stream.set_nodelay(true).map_err(|_| nothing(Heard::Nothing))?;
        let hello = self.hello();
        let greeted = AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello);
        step(Phase::Connect, self.timeouts.reply, greeted).await
    }

    async fn connect_encrypted(&self) -> Result<AsyncSmtpConnection, Failure> {
        let address = (self.shared.server.bare_host(), self.shared.server.port);
        let (hello, limit) = (self.hello(), self.timeouts.connect);
        let greeted = AsyncSmtpConnection::connect_tokio1(address, Some(limit), &hello, Some(self.tls()?), None);
        step(Phase::Connect, limit + self.timeouts.reply, greeted).await
    }

    fn tls(&self) -> Result<TlsParameters, Failure> {
        if let Some(made) = self.shared.tls.get() {
            return Ok(made.clone());
        }
        install_crypto();
        let server = &self.shared.server;
        let failed = |_| Failure { phase: Phase::Encrypt, heard: Heard::BadTls };
        let mut builder = TlsParameters::builder(server.bare_host().to_owned())
            .dangerous_accept_invalid_certs(server.encryption == Encryption::Opportunistic);
        if let Some(der) = &server.trusted_certificate {
            builder = builder.add_root_certificate(Certificate::from_der(der.clone()).map_err(failed)?);
        }
        let made = builder.build().map_err(failed)?;
        Ok(self.shared.tls.get_or_init(|| made).clone())
    }

    /// The name we give: the domain we write from, as the machine's own name is seldom one the internet knows.
    fn hello(&self) -> ClientId {
        match self.shared.from.email.domain() {
            domain if domain.contains('.') && !domain.starts_with('[') => ClientId::Domain(domain.to_owned()),
            _ => ClientId::Ipv4(Ipv4Addr::LOCALHOST),
        }
    }
}

/// What must be announced with the sender: letters beyond ASCII, in the addresses or in the content.
fn options(
    connection: &AsyncSmtpConnection,
    envelope: &Envelope,
    message: &str,
) -> Result<Vec<MailParameter>, Failure> {
    let offers = |feature| connection.server_info().supports_feature(feature);
    let mut options = vec![];
    let ascii = |address: &Address| address.to_string().is_ascii();
    if !envelope.from().into_iter().chain(envelope.to()).all(ascii) {
        if !offers(Extension::SmtpUtfEight) {
            return Err(Failure { phase: Phase::Receiver, heard: Heard::NotOffered });
        }
        options.push(MailParameter::SmtpUtfEight);
    }
    if !message.is_ascii() && offers(Extension::EightBitMime) {
        options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    Ok(options)
}

/// One command and its reply, within its time.
async fn step<T>(
    phase: Phase,
    limit: Duration,
    reply: impl Future<Output = Result<T, lettre::transport::smtp::Error>>,
) -> Result<T, Failure> {
    match timeout(limit, reply).await {
        Ok(Ok(reply)) => Ok(reply),
        Ok(Err(e)) => Err(Failure { phase, heard: heard(&e) }),
        Err(_) => Err(Failure { phase, heard: Heard::Silence }),
    }
}

fn heard(error: &lettre::transport::smtp::Error) -> Heard {
    if let Some(code) = error.status() {
        let enhanced = error.source().and_then(|text| enhanced_code(&text.to_string()));
        return Heard::Reply { code: code.into(), enhanced };
    }
    let says = |text: &str| error.source().is_some_and(|source| source.to_string() == text);
    if error.is_tls() || mentions_tls(error) {
        Heard::BadTls
    } else if error.is_timeout() {
        Heard::Silence
    } else if error.is_response() && !says("incomplete response") {
        Heard::Nonsense
    } else {
        Heard::Nothing
    }
}

/// Whether TLS is somewhere among the causes: the library wraps it in an I/O error in an error of its own.
fn mentions_tls(error: &lettre::transport::smtp::Error) -> bool {
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

/// The start of the server's answer to the final dot, which holds its own id of the letter.
fn first_line(reply: &Response) -> String {
    let text = reply.first_line().unwrap_or_default();
    let text: String = text.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').take(120).collect();
    format!("{} {text}", reply.code()).trim_end().to_owned()
}

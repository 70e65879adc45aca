//! The list of nested reasons. A code is never renamed. The English words are those of the place that gives the reason.

use serde::Serialize;
use utoipa::ToSchema;

/// A reason, its words in English and in Spanish. Parts in braces are taken from the reason.
macro_rules! nested_reasons {
    ($($code:ident $english:literal $spanish:literal;)+) => {
        /// Why something cannot be sent or done, where the reason of a refusal says only that it cannot.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum NestedReason { $($code),+ }

        pub(super) const TEXTS: &[(NestedReason, &str, &str)] = &[$((NestedReason::$code, $english, $spanish)),+];
    };
}

nested_reasons! {
    // The recipient.
    NoPhone
        "no phone number is known"
        "no se conoce ningún número de teléfono";
    PhoneUnconfirmed
        "their number was only typed into a form, and waits for \"Use it\" on the customer's page"
        "su número solo se escribió en un formulario y espera que lo acepten en la página del cliente";
    NoEmail
        "no email address is known"
        "no se conoce ningún correo";
    EmailTypedOnly
        "their email was only typed into a form, and waits for \"Use it\" on the customer's page"
        "su correo solo se escribió en un formulario y espera que lo acepten en la página del cliente";
    PhoneElsewhere
        "their number belongs to another customer; merge the two if they are one person, or ask them"
        "su número es de otro cliente; una los dos registros si son la misma persona, o pregúntele";
    EmailElsewhere
        "their email belongs to another customer; merge the two if they are one person, or ask them"
        "su correo es de otro cliente; una los dos registros si son la misma persona, o pregúntele";
    TollFreeNumber
        "toll-free numbers are not texted"
        "a los números gratuitos no se envían mensajes de texto";
    PremiumNumber
        "premium-rate and personal numbers are never texted"
        "a los números de tarifa especial y personales nunca se envían mensajes de texto";
    ImpossibleNumber
        "no phone can have this number"
        "ningún teléfono puede tener este número";
    ForeignNumber
        "texts go to numbers in the United States and Canada only"
        "los mensajes de texto solo van a números de Estados Unidos y Canadá";
    NumberWithoutTexts
        "this number cannot receive texts"
        "este número no puede recibir mensajes de texto";
    NotPhoneNumber
        "this is not a phone number"
        "esto no es un número de teléfono";
    Stopped
        "they said STOP"
        "envió STOP";
    StopPossible
        "they may have asked to stop; nothing is sent until you have looked"
        "quizás pidió no recibir más mensajes; no se envía nada hasta que usted lo mire";
    StoppedAtNumber
        "they asked at this number not to be texted"
        "pidió en este número no recibir mensajes de texto";
    EmailsStopped
        "they asked for no more such emails"
        "pidió no recibir más correos como este";
    NoMarketingConsent
        "they did not agree to get offers and review requests by text"
        "no aceptó recibir ofertas ni pedidos de reseña por mensaje de texto";
    AddressUnconfirmed
        "this address is not confirmed as the customer's"
        "no está confirmado que esta dirección sea del cliente";
    CustomerBlocked
        "you blocked this customer for automatic messages"
        "usted bloqueó a este cliente para mensajes automáticos";
    // The set-up of the business and of the server.
    SmsMissing
        "SMS is not set up"
        "los mensajes de texto no están configurados";
    NoSender
        "your business has no number to send texts from"
        "su empresa no tiene un número para enviar mensajes de texto";
    SenderUnregistered
        "your number is not registered for texting yet"
        "su número todavía no está registrado para mensajes de texto";
    SenderUnregisteredUseOwn
        "your number is not registered for texting yet; text from your own phone"
        "su número todavía no está registrado para mensajes de texto; escriba desde su propio teléfono";
    EmailMissing
        "email is not set up"
        "el correo no está configurado";
    BusinessUnproven
        "your email address is not confirmed yet; confirm it first"
        "su correo todavía no está confirmado; confírmelo primero";
    BusinessUnpaid
        "nothing goes to others before your first payment; subscribe under Billing"
        "nada sale hacia otros antes de su primer pago; suscríbase en Facturación";
    WrittenBeforeProof
        "it was written before your email address was confirmed"
        "se escribió antes de que se confirmara su correo";
    TooManyAccountMails
        "too many mails went to this address before it was confirmed"
        "se enviaron demasiados correos a esta dirección antes de que se confirmara";
    Demonstration
        "This is a demonstration: nothing is sent and nothing is changed here"
        "esto es una demostración: aquí no se envía ni se cambia nada";
    ReadOnlySubscription
        "the subscription has ended"
        "la suscripción terminó";
    AutomaticMessagesOff
        "automated communications are switched off"
        "los mensajes automáticos están apagados";
    LeadIntakeOff
        "lead intake is switched off"
        "la recepción de solicitudes está apagada";
    ReportingOff
        "KPI reporting is switched off"
        "los informes de indicadores están apagados";
    JobTrackingOff
        "job tracking is switched off"
        "el seguimiento de trabajos está apagado";
    ReviewCollectionOff
        "review collection is switched off"
        "la recolección de reseñas está apagada";
    TemplateOff
        "this template is switched off"
        "esta plantilla está apagada";
    ReviewTemplateOff
        "the template is switched off"
        "la plantilla está apagada";
    NoPostalAddress
        "your postal address is missing in Organization, and the law wants it in such an email"
        "falta su dirección postal en Organización, y la ley la exige en un correo así";
    // Limits.
    BudgetOfNewBusinessInAll
        "a new business may have {count} {things} a day and {all} in all; {hint}"
        "una empresa nueva puede enviar {count} {things} por día y {all} en total; {hint}";
    BudgetOfNewBusiness
        "a new business may have {count} {things} a day; {hint}"
        "una empresa nueva puede enviar {count} {things} por día; {hint}";
    DailyBudgetUsed
        "today's budget of {count} automatic texts is used up"
        "se agotó el límite de hoy de {count} mensajes de texto automáticos";
    NumberBudgetUsed
        "this number got {count} automatic texts today and never wrote back"
        "este número recibió hoy {count} mensajes de texto automáticos y nunca respondió";
    ExchangeBudgetUsed
        "{count} new numbers with the same first digits were texted within an hour, as in a fraud"
        "en una hora se envió a {count} números nuevos con los mismos primeros dígitos, como en un fraude";
    AddressBudgetUsed
        "this address got {count} automatic emails today and is not confirmed as the customer's"
        "esta dirección recibió hoy {count} correos automáticos y no está confirmado que sea del cliente";
    BookingBudgetUsed
        "today's {count} texts about visits that others may have booked are used up"
        "se agotaron los {count} mensajes de hoy sobre visitas que otros pudieron reservar";
    BookingBudgetOfNumberUsed
        "they got {count} messages today about visits that others may have booked in their name"
        "recibió hoy {count} mensajes sobre visitas que otros pudieron reservar en su nombre";
    PromotionalLimit
        "they got {count} such texts within 24 hours"
        "recibió {count} mensajes así en 24 horas";
    // Hours and waiting.
    UselessLater
        "{reason}, and after that it would be of no use"
        "{reason}, y después ya no serviría";
    OutsideTextHours
        "it's {clock}; texts go out {span}"
        "{clock}; los mensajes de texto salen de {span}";
    PublicHoliday
        "it is a public holiday {place}; texts of this kind may not go there on such days"
        "es feriado {place}; en esos días no se permiten allí mensajes de este tipo";
    WeekdayClosed
        "it is {weekday} {place}; texts of this kind may not go there on {weekdays}"
        "es {weekday} {place}; ese día no se permiten allí mensajes de este tipo";
    NoCommonHour
        "there is no hour that is allowed in all of these places: {places}"
        "ninguna hora está permitida en todos estos lugares: {places}";
    HoursEnding
        "the hours for texts there end in less than a minute"
        "el horario de mensajes de texto termina allí en menos de un minuto";
    NotInTime
        "it could not be sent in time ({reason})"
        "no se pudo enviar a tiempo ({reason})";
    TooLateToSend
        "it is too late to send it"
        "es demasiado tarde para enviarlo";
    NotLeftYet
        "{number} has not left yet: {reason}"
        "{number} todavía no salió: {reason}";
    HeldBecause
        "held until {when}: {reason}"
        "retenido hasta: {when} ({reason})";
    HeldUntil
        "held until {when}"
        "retenido hasta: {when}";
    Waiting
        "waiting: {reason}"
        "en espera: {reason}";
    SendingStopped
        "sending is stopped right now"
        "el envío está parado en este momento";
    ProviderBusy
        "waiting: the provider takes nothing from us at the moment"
        "en espera: el proveedor no acepta nada en este momento";
    DidNotGoOut
        "it did not go out"
        "no salió";
    // What a person of the business did.
    SpokenSince
        "you have written to them since"
        "usted le escribió después";
    InTouchMeanwhile
        "you have been in touch meanwhile"
        "ustedes ya hablaron mientras tanto";
    InTouch
        "they have been in touch"
        "se puso en contacto";
    WroteYourself
        "you wrote yourself"
        "usted mismo le escribió";
    CallAnswered
        "you answered their call"
        "usted contestó su llamada";
    NotedAsAnswered
        "you noted that you have answered"
        "usted anotó que ya respondió";
    NoAnswerWanted
        "they want no answer"
        "no quiere respuesta";
    RequestNotNew
        "the request is no longer new"
        "la solicitud ya no es nueva";
    EstimateWasSent
        "an estimate was sent"
        "se envió un presupuesto";
    ChangeOrderWasSent
        "the change order was sent"
        "se envió la orden de cambio";
    InvoiceWasSent
        "an invoice was sent"
        "se envió una factura";
    SentAgain
        "it was sent again"
        "se envió otra vez";
    ReminderSentAgain
        "the reminder was sent again"
        "el recordatorio se envió otra vez";
    CancelledBy
        "cancelled by {name}"
        "cancelado por {name}";
    UndoneBy
        "undone by {name}"
        "deshecho por {name}";
    WasUndone
        "it was undone"
        "se deshizo";
    AskedNow
        "someone had them asked now"
        "alguien hizo que se le pidiera ahora";
    AnswersKeyword
        "it answers a keyword, and leaves within five minutes or not at all"
        "responde a una palabra clave, y sale en cinco minutos o no sale";
    SaysClosed
        "it says that you are closed, and you are open now; write a new one"
        "dice que está cerrado, y ahora está abierto; escriba uno nuevo";
    NamesPastOpening
        "it names an opening that is past; write a new one"
        "nombra una apertura que ya pasó; escriba uno nuevo";
    NamesPastTime
        "it names a time that is past; write a new one"
        "nombra una hora que ya pasó; escriba uno nuevo";
    NamesOtherAmount
        "it names an amount that is no longer due"
        "nombra un monto que ya no se debe";
    // What a message is about.
    PaperApproved
        "{paper} was approved{on}"
        "se aprobó {paper}{on}";
    PaperDeclined
        "{paper} was declined{on}"
        "se rechazó {paper}{on}";
    PaperWithdrawn
        "{paper} was withdrawn{on}"
        "se retiró {paper}{on}";
    PaperExpired
        "{paper} has expired"
        "venció {paper}";
    PaperBeingMade
        "{paper} is being made right now"
        "se está preparando ahora mismo {paper}";
    NewerVersionOfPaper
        "a newer version of {paper} was made"
        "se hizo una versión más nueva de {paper}";
    NewerVersion
        "a newer version was made"
        "se hizo una versión más nueva";
    AskedAboutIt
        "they asked about it"
        "preguntó sobre esto";
    InvoicePaid
        "{invoice} was paid{on}"
        "se pagó {invoice}{on}";
    InvoiceVoid
        "{invoice} was voided{on}"
        "se anuló {invoice}{on}";
    InvoiceUnissued
        "this invoice is not issued yet"
        "esta factura todavía no se emitió";
    WasPaid
        "it was paid"
        "ya se pagó";
    DisputesInvoice
        "they dispute this invoice"
        "disputa esta factura";
    DisputesIt
        "the customer disputes it"
        "el cliente la disputa";
    PromisedToPayBy
        "they promised to pay by {day}"
        "prometió pagar a más tardar {day}";
    PromisedToPay
        "they promised to pay"
        "prometió pagar";
    PromiseGone
        "the promise was taken away"
        "se retiró la promesa";
    InvoiceRemindersOff
        "no one has turned on reminders for this invoice"
        "nadie activó los recordatorios de esta factura";
    AllInvoiceRemindersOff
        "reminders of invoices are switched off"
        "los recordatorios de facturas están apagados";
    PaymentWentBack
        "this payment went back in full"
        "este pago se devolvió por completo";
    PaymentRefunded
        "a refund of this payment was recorded since"
        "después se registró un reembolso de este pago";
    PaymentGone
        "this payment no longer counts"
        "este pago ya no cuenta";
    JobWasDone
        "the job was done{on}"
        "el trabajo se terminó{on}";
    JobWasCancelled
        "the job was cancelled"
        "el trabajo se canceló";
    JobOffSchedule
        "the job was taken off the schedule"
        "el trabajo se quitó de la agenda";
    VisitCancelled
        "the visit was cancelled"
        "la visita se canceló";
    VisitReplanned
        "the visit was planned again"
        "la visita se planificó de nuevo";
    VisitAtOtherTime
        "the visit is at another time now"
        "la visita es ahora a otra hora";
    VisitTakesPlace
        "the visit takes place after all"
        "la visita se hace después de todo";
    VisitBooked
        "the visit is booked already"
        "la visita ya está reservada";
    VisitWasBooked
        "a visit was booked"
        "se reservó una visita";
    VisitWasOn
        "the visit was on {day}"
        "la visita fue {day}";
    BookedVisit
        "they have booked a visit"
        "reservó una visita";
    WorkBegun
        "the work has begun"
        "el trabajo empezó";
    WorkDone
        "the work is done"
        "el trabajo está terminado";
    CrewOnItsWay
        "the crew is on its way"
        "la cuadrilla va en camino";
    CrewLate
        "the crew runs late"
        "la cuadrilla viene con retraso";
    HalfAnHourOld
        "it says what was true half an hour ago"
        "dice lo que era cierto hace media hora";
    NewerVisitMessage
        "a newer message about this visit was written"
        "se escribió un mensaje más nuevo sobre esta visita";
    // Reviews.
    ReviewPageOpened
        "they opened the page for public reviews"
        "abrió la página de reseñas públicas";
    ReviewLeft
        "they have left a review"
        "dejó una reseña";
    WroteBack
        "they wrote back"
        "respondió";
    NoMoreMessages
        "they asked for no more messages"
        "pidió no recibir más mensajes";
    ProblemOpen
        "there is a problem that is not settled"
        "hay un problema sin resolver";
    WorkNotDone
        "the work is not done after all"
        "el trabajo no está terminado después de todo";
    StaffOrRelative
        "they are staff or a relative"
        "es del personal o un familiar";
    AskedBefore
        "they were asked within the last 180 days"
        "ya se le pidió en los últimos 180 días";
    NoOpenWay
        "no way to reach them is open"
        "no hay ninguna vía abierta para contactarle";
    NotPaidYet
        "it is not paid yet"
        "todavía no está pagado";
    AskedUnderOtherRecord
        "they are asked under their other record"
        "se le pide en su otro registro";
    RequestUnsent
        "the request could not be sent"
        "el pedido no se pudo enviar";
    RequestStopped
        "someone at the business stopped it"
        "alguien de la empresa lo detuvo";
    DaysPassed
        "its days passed while nothing could be sent"
        "pasaron sus días sin que se pudiera enviar nada";
    // Twilio.
    TwilioCredentials
        "Twilio refused our credentials"
        "Twilio rechazó nuestras credenciales";
    TwilioAccountInactive
        "the account at Twilio is not active"
        "la cuenta en Twilio no está activa";
    TwilioTestCredentials
        "these are Twilio's test credentials, which send nothing"
        "son credenciales de prueba de Twilio, que no envían nada";
    TwilioAccountUnknown
        "Twilio does not know the account"
        "Twilio no conoce la cuenta";
    TwilioBusy
        "Twilio takes no more texts at this moment"
        "Twilio no acepta más mensajes de texto en este momento";
    TwilioFailed
        "Twilio failed to answer (HTTP {code})"
        "Twilio no respondió (HTTP {code})";
    NumberInvalid
        "the number is not a valid phone number"
        "el número no es un teléfono válido";
    SenderInvalid
        "the sending number is not a valid phone number"
        "el número de envío no es un teléfono válido";
    NumberUnreachable
        "the number cannot be reached"
        "no se puede llegar al número";
    CountryNotAllowed
        "the account at Twilio may not send texts to the number's country"
        "la cuenta en Twilio no puede enviar mensajes de texto al país del número";
    TextEmpty
        "the text is empty"
        "el mensaje está vacío";
    SenderMissing
        "no sending number is set"
        "no hay un número de envío";
    ReceiverMissing
        "the text has no receiver"
        "el mensaje no tiene destinatario";
    TextTooLong
        "the text is too long"
        "el mensaje es demasiado largo";
    SenderWithoutTexts
        "the sending number cannot send texts"
        "el número de envío no puede enviar mensajes de texto";
    TwilioTrial
        "a trial account at Twilio sends only to numbers it has verified"
        "una cuenta de prueba en Twilio solo envía a números que ha verificado";
    PublicUrlUnreachable
        "Twilio cannot reach your Toolbox from the internet"
        "Twilio no puede llegar a su Toolbox por internet";
    OptedOutAtProvider
        "the person has opted out of texts"
        "la persona pidió no recibir mensajes de texto";
    TwilioQueueFull
        "too many texts are waiting at Twilio for this sending number"
        "demasiados mensajes esperan en Twilio para este número de envío";
    SenderCannotReach
        "the sending number cannot reach this number"
        "el número de envío no puede llegar a este número";
    NotMobile
        "the number is not a mobile number"
        "el número no es de un celular";
    Landline
        "the number is a landline"
        "el número es de una línea fija";
    SenderOfOtherAccount
        "the sending number does not belong to the account at Twilio"
        "el número de envío no pertenece a la cuenta en Twilio";
    MessagingServiceUnknown
        "Twilio does not know the messaging service"
        "Twilio no conoce el servicio de mensajes";
    MessagingServiceEmpty
        "the messaging service at Twilio has no sending number"
        "el servicio de mensajes en Twilio no tiene número de envío";
    TwilioQueueWasFull
        "too many texts were waiting at Twilio for this sending number"
        "demasiados mensajes esperaban en Twilio para este número de envío";
    TwilioSuspended
        "the account at Twilio is suspended"
        "la cuenta en Twilio está suspendida";
    PhoneOff
        "the phone is switched off or out of reach"
        "el teléfono está apagado o fuera de alcance";
    PhoneBlocks
        "the phone or its network blocks our texts"
        "el teléfono o su red bloquea nuestros mensajes";
    NumberGone
        "the number no longer exists"
        "el número ya no existe";
    LandlineOrNoTexts
        "the number is a landline or its network cannot receive texts"
        "el número es de una línea fija o su red no recibe mensajes de texto";
    CarrierFiltered
        "a carrier filtered the text as unwanted"
        "una operadora filtró el mensaje como no deseado";
    CarrierSilent
        "the carrier did not deliver the text and gave no reason"
        "la operadora no entregó el mensaje y no dio un motivo";
    SenderNotWithCarriers
        "the sending number is not registered with the US carriers (A2P 10DLC)"
        "el número de envío no está registrado con las operadoras de Estados Unidos (A2P 10DLC)";
    TwilioDailyLimit
        "the account at Twilio has reached its daily limit"
        "la cuenta en Twilio alcanzó su límite diario";
    // Stripe: each continues a sentence that begins with its name. `code` is its own word.
    StripeKeyUnknown
        "does not know this key"
        "no conoce esta clave";
    StripeKeyNotAllowed
        "says that this key may not do that"
        "dice que esta clave no puede hacer eso";
    StripeDisconnected
        "is no longer connected to this install"
        "ya no está conectado con esta instalación";
    StripeRefundedBefore
        "says that it was refunded already"
        "dice que ya se reembolsó";
    StripeDisputed
        "refunds nothing of a payment that is disputed"
        "no reembolsa nada de un pago en disputa";
    StripeAmountTooSmall
        "takes no amount so small"
        "no acepta un monto tan pequeño";
    StripeAmountTooLarge
        "takes no amount so large"
        "no acepta un monto tan grande";
    StripeRefusedIt
        "refused it ({code})"
        "lo rechazó ({code})";
    StripeEmailRefused
        "does not take the customer's email address"
        "no acepta el correo del cliente";
    StripeElsewhere
        "is not at STRIPE_API_URL"
        "no está en STRIPE_API_URL";
    StripeAnswerTooLong
        "answered with far too much"
        "respondió con demasiados datos";
    StripeOtherCurrency
        "names another currency than dollars"
        "nombra otra moneda que el dólar";
    StripeInvoiceWithoutPdf
        "has no PDF of this invoice"
        "no tiene un PDF de esta factura";
    StripeInvoiceElsewhere
        "keeps this invoice somewhere else"
        "guarda esta factura en otro lugar";
    StripeInvoiceNowhere
        "keeps this invoice nowhere"
        "no guarda esta factura en ningún lugar";
    StripeInvoiceTooFar
        "redirects this invoice too many times"
        "guarda esta factura detrás de demasiados desvíos";
    StripeListTooLong
        "lists more than can be checked"
        "lista más de lo que se puede revisar";
}

//! Refusals about messages, senders and test messages.

use super::ConflictText;

pub(super) const TEXTS: &[ConflictText] = conflict_texts! {
    NumberCodeOver
        "This code no longer works. Ask for a new one."
        "Este código ya no vale. Pida uno nuevo.";
    SendingNumberTaken
        "This number is in use by another business."
        "Otra empresa ya usa este número.";
    SendingNumberOwned
        "This number is your business's already."
        "Este número ya es de su empresa.";
    SmsNotOnServer
        "SMS is not set up for this Toolbox yet."
        "Los mensajes de texto todavía no están configurados en este Toolbox.";
    CallsNotOnServer
        "This Toolbox cannot place calls. Choose a text."
        "Este Toolbox no puede hacer llamadas. Elija un mensaje de texto.";
    NoMessagingService
        "This server has no Messaging Service (TWILIO_MESSAGING_SERVICE_SID)."
        "Este servidor no tiene un Messaging Service (TWILIO_MESSAGING_SERVICE_SID).";
    NumberInSharedService
        "This number sends for the shared Messaging Service. Take it out of the service at Twilio first."
        "Este número envía para el Messaging Service compartido. Primero quítelo del servicio en Twilio.";
    ServiceNumberAssigned
        "A number of the Messaging Service belongs to another business. Take the number out of the service at Twilio first."
        "Un número del Messaging Service es de otra empresa. Primero quite el número del servicio en Twilio.";
    ServiceNumbersUnread
        "Twilio's list of the Messaging Service's numbers could not be read. Nothing was changed. Try again."
        "No se pudo leer en Twilio la lista de números del Messaging Service. No se cambió nada. Inténtelo de nuevo.";
    NumberPurchaseNotAllowed
        "Your business may not get a number here yet. Ask the people who run this Toolbox."
        "Su empresa todavía no puede obtener un número aquí. Pregunte a quienes administran este Toolbox.";
    NumberLimitReached
        "Your business already has as many numbers as it may. Ask the people who run this Toolbox for more."
        "Su empresa ya obtuvo todos los números que puede tener. Pida más a quienes administran este Toolbox.";
    NumberOrderOpen
        "Another number is being bought for you. Wait until that is done."
        "Se está comprando otro número para usted. Espere a que termine.";
    NumberInUseElsewhere
        "Another program uses this number. Nothing was changed."
        "Otro programa usa este número. No se cambió nada.";
    NumberHeldBefore
        "A business here had this number before. Ask the person who runs your Toolbox to assign it to you."
        "Una empresa de aquí ya tuvo este número. Pida a quien administra su Toolbox que se lo asigne.";
    SmsAccountRefused
        "The phone account of this Toolbox does not work right now. Nothing was changed. Tell the people who run it."
        "La cuenta de telefonía de este Toolbox no funciona en este momento. No se cambió nada. Avise a quienes lo administran.";
    TextingRegistrationOpen
        "Your registration is in review. You can change it once there is an answer."
        "Su registro está en revisión. Podrá cambiarlo cuando haya una respuesta.";
    TextingRegistrationFinal
        "This number's registration cannot be changed any longer. Ask the people who run this Toolbox."
        "El registro de este número ya no se puede cambiar. Pregunte a quienes administran este Toolbox.";
    TextingRegistrationNotAllowed
        "Your business may not register a number here yet. Ask the people who run this Toolbox."
        "Su empresa todavía no puede registrar un número aquí. Pregunte a quienes administran este Toolbox.";
    RegistrationTextNotDue
        "No text about your registration waits for an answer."
        "Ningún mensaje de texto sobre su registro espera respuesta.";
    CannedRepliesFull
        "There are fifty of these already. Please remove one first."
        "Ya hay cincuenta. Quite una primero.";
    NoPhoneOnRecord
        "We have no phone number for them."
        "No tenemos ningún número de teléfono suyo.";
    OptOutByCustomer
        "They said STOP themselves. Only they can undo it, by texting START."
        "El cliente mismo envió STOP. Solo él puede deshacerlo enviando START.";
    OptedOut
        "They asked not to be texted. Nothing was sent."
        "Pidió no recibir mensajes de texto. No se envió nada.";
    MessageAlreadySent
        "This message has already been sent or is on its way."
        "Este mensaje ya se envió o está en camino.";
    MessageHeld
        "This message is held until {when}: {reason}. It is tried again by itself then."
        "Este mensaje está retenido hasta: {when} ({reason}). Después se intenta solo otra vez.";
    MessageAlreadyLeft
        "This message has already left or is leaving right now."
        "Este mensaje ya salió o está saliendo ahora mismo.";
    MessageNotResendable
        "Not sent: {reason}."
        "No se envió: {reason}.";
    NumberUnconfirmed
        "Their number was only typed into a form. Use it first."
        "Su número solo se escribió en un formulario. Acéptelo primero.";
    NoTextableNumber
        "We have no number for them that can be texted."
        "No tenemos ningún número suyo que reciba mensajes de texto.";
    EmailUnconfirmed
        "Their email was only typed into a form. Use it first."
        "Su correo solo se escribió en un formulario. Acéptelo primero.";
    NoEmailOnRecord
        "We have no email address for them."
        "No tenemos ningún correo suyo.";
    NothingToRemindOf
        "No estimate waits for an answer, no visit is coming, and no invoice is open."
        "Ningún presupuesto espera respuesta, no hay visitas próximas ni facturas abiertas.";
    ReminderNotSendable
        "The reminder cannot be sent: {reason}."
        "No se puede enviar el recordatorio: {reason}.";
    NoTestPhone
        "There is no phone number to send it to. Add one under SMS recipients, or as the phone of your business."
        "No hay un teléfono al cual enviarlo. Agregue uno en los destinatarios de SMS o como teléfono de su empresa.";
    SmsNotSetUp
        "SMS is not set up yet. Ask the person who runs your Toolbox."
        "Los mensajes de texto todavía no están configurados. Pregunte a quien administra su Toolbox.";
    NoSendingNumber
        "Your business has no number to send texts from. Add one in Settings, Texting number."
        "Su empresa no tiene un número para enviar mensajes de texto. Agregue uno en Configuración, Número de mensajes.";
    EmailNotSetUp
        "Email is not set up yet, so no email leaves. Ask the person who runs your Toolbox."
        "El correo todavía no está configurado, así que no sale ningún correo. Pregunte a quien administra su Toolbox.";
    PhoneOptedOut
        "This phone has texted STOP to your number. It must text START first."
        "Este teléfono envió STOP a su número. Primero debe enviar START.";
    NumberNotRegistered
        "Your number is not registered for texting yet, so carriers drop its texts."
        "Su número todavía no está registrado para mensajes de texto, así que las operadoras los descartan.";
    KpiReportingOff
        "KPI reporting is switched off. Turn it on in Automation first."
        "Los informes de indicadores están apagados. Actívelos primero en Automatización.";
    NoReportRecipient
        "There is no one to send it to: choose email or texts in Automation."
        "No hay a quién enviarlo: elija correo o mensajes de texto en Automatización.";
};

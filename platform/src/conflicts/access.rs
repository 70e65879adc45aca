//! Refusals about accounts, sign-in and the team.

use super::ConflictText;

pub(super) const TEXTS: &[ConflictText] = conflict_texts! {
    ApiKeysFull
        "There are twenty keys already. Please take one away first."
        "Ya hay veinte claves. Quite una primero.";
    DevicesFull
        "You already have 20 devices with alerts. Please remove one first."
        "Ya tiene 20 dispositivos con avisos. Quite uno primero.";
    DeviceUnreachable
        "This device no longer gets alerts. Turn them on again on the device."
        "Este dispositivo ya no recibe avisos. Actívelos de nuevo en el dispositivo.";
    BusinessNameTooCommon
        "Too many businesses share this name. Please choose another."
        "Demasiadas empresas usan este nombre. Elija otro por favor.";
    RegistrationConfirmed
        "This address is confirmed already. Sign in, or choose a new password."
        "Este correo ya está confirmado. Inicie sesión o elija una contraseña nueva.";
    EmailConfirmed
        "Your email address is confirmed already."
        "Su correo ya está confirmado.";
    InvitesFull
        "Fifty invitations are waiting already. Cancel some first."
        "Ya hay cincuenta invitaciones en espera. Retire algunas primero.";
    InviteSuperseded
        "This invitation was accepted or replaced in the meantime. Look at the list of people."
        "Esta invitación se aceptó o se reemplazó mientras tanto. Mire la lista de personas.";
    InviteAccepted
        "They have joined already. Change what they may do in the list of people."
        "Ya se unió. Cambie sus permisos en la lista de personas.";
    InviteUsed
        "This invitation was used already. Sign in with your email and password."
        "Esta invitación ya se usó. Inicie sesión con su correo y contraseña.";
    InviteExpired
        "This invitation has expired. Ask for a new one."
        "Esta invitación venció. Pida una nueva.";
    NoAuthenticatorPending
        "Start again: no authenticator app is being set up."
        "Empiece de nuevo: no se está configurando ninguna aplicación de autenticación.";
    SecondFactorRequired
        "Your business asks everyone for two-step sign-in. You can set up another phone."
        "Su empresa pide a todos la verificación en dos pasos. Puede configurar otro teléfono.";
    SecondFactorOff
        "Turn on two-step sign-in first."
        "Active primero la verificación en dos pasos.";
    OwnSecondFactorOff
        "Turn on two-step sign-in for yourself first."
        "Active primero la verificación en dos pasos para usted.";
    MemberWithoutSecondFactor
        "Their sign-in asks for no code."
        "Su inicio de sesión no pide código.";
    OwnSecondFactorReset
        "Change your own in your account."
        "Cambie la suya en su cuenta.";
    PasskeysUnavailable
        "Passkeys need an https address with a name. Sign in with your password."
        "Las llaves de acceso necesitan una dirección https con nombre. Inicie sesión con su contraseña.";
    PasskeyRegistered
        "This passkey is registered already."
        "Esta llave de acceso ya está registrada.";
    PasskeysFull
        "You have twenty passkeys. Remove one first."
        "Tiene veinte llaves de acceso. Quite una primero.";
    NoPasskey
        "You have no passkey yet. Use your password."
        "Todavía no tiene una llave de acceso. Use su contraseña.";
    ChallengeExpired
        "This took too long. Please start again."
        "Tardó demasiado. Empiece de nuevo.";
    OwnerNeeded
        "The business needs an owner. Make someone else the owner first."
        "La empresa necesita un dueño. Nombre primero a otra persona como dueño.";
    MemberInactive
        "They cannot sign in. Activate them first."
        "No puede iniciar sesión. Active primero su acceso.";
};

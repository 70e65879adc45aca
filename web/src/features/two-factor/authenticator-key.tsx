// Authenticator key as QR code, link and text.
import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'
import { ExternalButton } from '@/ui/button'
import { CopyField } from '@/ui/copy-field'
import { QrCode } from '@/ui/qr-code'

const COPIED = { title: t('Copied'), description: t('Paste the key into your authenticator app.') } as const
const NOT_COPIED = { title: t('Not copied'), description: t('Select the key and copy it yourself.') } as const

/** Four characters at a time, as they are typed. */
export const groupByFour = (key: string): string => key.replaceAll(/(.{4})(?=.)/g, '$1 ')

export function AuthenticatorKey({ setUp: { secret, address, qr } }: { setUp: Schema['SecondFactorSetUp'] }) {
  return (
    <ol className="grid list-decimal gap-4 pl-5">
      <li>
        {t('Install an authenticator app: Google Authenticator, Microsoft Authenticator, 1Password or any other.')}
      </li>
      <li>
        {/* An item that were the grid itself would lose its number. */}
        <div className="grid gap-2">
          <span>{t('Add Toolbox to it. Scan this with the app:')}</span>
          <QrCode picture={qr} label={t('QR code for your authenticator app')} className="size-48 max-w-full" />
          <span>{t('On this phone one tap is enough:')}</span>
          <ExternalButton href={address} variant="secondary" icon="phone" className="w-fit">
            {t('Open my authenticator app')}
          </ExternalButton>
          <span>{t('Where neither works, choose “Enter a setup key” and type this one:')}</span>
          <p className="font-mono text-section wrap-anywhere">{groupByFour(secret)}</p>
          <CopyField label={t('the setup key')} value={secret} copied={COPIED} failed={NOT_COPIED} />
        </div>
      </li>
      <li>{t('Type the six digits that the app shows.')}</li>
    </ol>
  )
}

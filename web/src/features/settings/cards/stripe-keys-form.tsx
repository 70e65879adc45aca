// The form for pasted Stripe keys.
import { type FormEvent, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Field } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { cardPaymentMessages, useSaveStripeKeys } from './queries'
import { WebhookAddress } from './webhook-address'

export const OTHER_ACCOUNT_NOTE = t(
  'With keys of another account, payments of this one are no longer compared: look there for refunds and chargebacks.',
)

const EMPTY_KEYS = { secretKey: '', webhookSecret: '' }

export function StripeKeysForm({
  isSetUp,
  isOther = false,
  webhookUrl,
}: {
  isSetUp: boolean
  /** Another option is shown above. */
  isOther?: boolean
  webhookUrl: string
}) {
  const [typed, setTyped] = useState(EMPTY_KEYS)
  const save = useSaveStripeKeys()
  const problems = save.error instanceof ApiError ? save.error.errors : {}
  const send = (event: FormEvent) => {
    event.preventDefault()
    const { secretKey, webhookSecret } = typed
    save.mutate(
      { ...(secretKey ? { secretKey } : {}), ...(webhookSecret ? { webhookSecret } : {}) },
      { onSuccess: () => setTyped(EMPTY_KEYS) },
    )
  }
  const change = (name: keyof typeof EMPTY_KEYS, value: string) => {
    setTyped((before) => ({ ...before, [name]: value.trim() }))
    save.reset()
  }
  return (
    <form aria-label={t('Keys of Stripe')} className="grid gap-4" onSubmit={send}>
      <KeyField
        label={isSetUp ? t('Another secret key') : t('Secret key')}
        hint={t('In Stripe under Developers, API keys: sk_live_…')}
        value={typed.secretKey}
        error={problems['secretKey']}
        onChange={(value) => change('secretKey', value)}
      />
      {/* Once there are keys it is shown with what came from it. */}
      {!isSetUp && (
        <div className="grid gap-2">
          <WebhookAddress url={webhookUrl} />
        </div>
      )}
      <KeyField
        label={t('Signing secret')}
        hint={t('Of the address above: whsec_…')}
        value={typed.webhookSecret}
        error={problems['webhookSecret']}
        onChange={(value) => change('webhookSecret', value)}
      />
      {isSetUp && <p className="text-note text-muted">{OTHER_ACCOUNT_NOTE}</p>}
      {save.isError && Object.keys(problems).length === 0 && (
        <Notice tone="error" title={cardPaymentMessages.saveFailed}>
          {describeError(save.error).description}
        </Notice>
      )}
      <div>
        <Button
          type="submit"
          variant={isOther ? 'secondary' : 'primary'}
          disabled={typed.secretKey === '' && typed.webhookSecret === ''}
          pending={save.isPending}
        >
          {getSaveLabel(isSetUp, isOther)}
        </Button>
      </div>
    </form>
  )
}

function getSaveLabel(isSetUp: boolean, isOther: boolean): string {
  if (isSetUp) return t('Change keys')
  return isOther ? t('Use these keys') : t('Connect Stripe')
}

function KeyField({
  label,
  hint,
  value,
  error,
  onChange,
}: {
  label: string
  hint: string
  value: string
  error?: string | undefined
  onChange: (value: string) => void
}) {
  return (
    <Field label={label} unmarked hint={hint} error={error}>
      {/* A key is no password of this site: no manager is to keep or offer it. */}
      {(aria) => (
        <input
          className="input"
          type="password"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-1p-ignore
          data-lpignore="true"
          {...aria}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

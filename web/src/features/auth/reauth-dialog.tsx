// Reauthentication dialog; the waiting action continues afterwards.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { reauthPrompt } from '@/api/reauth-prompt'
import { t } from '@/lib/i18n'
import { supportsPasskeys, isCancelled } from '@/lib/passkeys'
import { CodeField } from '@/features/two-factor/code-field'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Form } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { PasswordField } from '@/ui/password-field'
import { authMessages } from './messages'
import { useReauthenticate } from './mutations'
import { passkeyCountQuery, useReauthenticateWithPasskey } from './reauth-mutations'
import { reauthSchema, type ReauthValues } from './schema'

const isFieldError = (error: unknown) => error instanceof ApiError && Object.keys(error.errors).length > 0

const cancelReauth = () => reauthPrompt.resolve(false)

/** Offered where the browser has passkeys and the person has one. */
function PasskeyButton() {
  const canUse = supportsPasskeys()
  const { data: count = 0 } = useQuery({ ...passkeyCountQuery(), enabled: canUse })
  const prove = useReauthenticateWithPasskey()
  if (!canUse || count === 0) return null
  const ask = () => prove.mutate(undefined, { onSuccess: () => reauthPrompt.resolve(true) })
  const problem =
    prove.error &&
    (isCancelled(prove.error)
      ? authMessages.prove.cancelled
      : describeError(prove.error, authMessages.prove.passkeyFailure).description)
  return (
    <div className="mb-4 grid gap-3">
      <Button wide icon="shield" onClick={ask} pending={prove.isPending} pendingText={t('Waiting for your passkey...')}>
        {t('Use a passkey')}
      </Button>
      {problem && <Notice tone="error" title={problem} />}
      <p className="text-center text-note text-muted">{t('or with your password')}</p>
    </div>
  )
}

export function ReauthDialog() {
  const { email, twoFactorEnabled } = useCurrentUser()
  const prove = useReauthenticate()
  const [problem, setProblem] = useState<string>()
  const send = async (values: ReauthValues) => {
    setProblem(undefined)
    await prove.mutateAsync(values)
    reauthPrompt.resolve(true)
  }
  return (
    <Dialog open title={t("Confirm it's you")} onClose={cancelReauth}>
      <p className="mb-4 text-muted">{t('You are not asked again for fifteen minutes.')}</p>
      <PasskeyButton />
      <Form
        label={t("Confirm it's you")}
        schema={reauthSchema}
        defaultValues={{ password: '', code: '' }}
        onSubmit={send}
        onFailure={(error) =>
          setProblem(isFieldError(error) ? undefined : describeError(error, authMessages.prove.failure).description)
        }
        className="grid gap-4"
      >
        {(form) => (
          <>
            {/* For password managers: whose password it is. */}
            <input type="email" autoComplete="username" value={email} readOnly hidden />
            <PasswordField form={form} name="password" label={t('Password')} autoComplete="current-password" />
            {twoFactorEnabled && <CodeField form={form} name="code" takesRecovery />}
            {problem && <Notice tone="error" title={problem} />}
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={cancelReauth}>
                {t('Cancel')}
              </Button>
              <Button type="submit" pending={form.formState.isSubmitting} pendingText={t('Checking...')}>
                {t('Continue')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}

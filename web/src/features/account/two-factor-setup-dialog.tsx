// Authenticator setup: key, first code, recovery codes.
import { useEffect, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { AuthenticatorKey } from '@/features/two-factor/authenticator-key'
import { CodeField } from '@/features/two-factor/code-field'
import { RecoveryCodes } from '@/features/two-factor/recovery-codes'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Form, ignoreFailure } from '@/ui/form'
import { Spinner } from '@/ui/spinner'
import { useBeginTwoFactor, useConfirmTwoFactor } from './queries'

const schema = z.object({ code: z.string().check(z.trim(), z.minLength(1, t('Enter the code'))) })

export function TwoFactorSetupDialog({ onClose }: { onClose: () => void }) {
  const begin = useSetupStart(onClose)
  const confirm = useConfirmTwoFactor()
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes)
    return (
      <Dialog open title={t('Two-step sign-in is on')} onClose={onClose}>
        <RecoveryCodes codes={codes} done={t('I have kept them')} onDone={onClose} />
      </Dialog>
    )
  return (
    <Dialog open title={t('Turn on two-step sign-in')} onClose={onClose}>
      {begin.data ? (
        <div className="grid gap-4">
          <AuthenticatorKey setUp={begin.data} />
          <Form
            label={t('First code')}
            schema={schema}
            defaultValues={{ code: '' }}
            onSubmit={async (values) => setCodes((await confirm.mutateAsync(values)).recoveryCodes)}
            onFailure={ignoreFailure}
            className="grid gap-4"
          >
            {(form) => (
              <>
                <CodeField form={form} name="code" />
                <div className="flex flex-wrap justify-end gap-2">
                  <Button variant="ghost" onClick={onClose}>
                    {t('Cancel')}
                  </Button>
                  <Button type="submit" pending={form.formState.isSubmitting} pendingText={t('Turning on...')}>
                    {t('Turn on')}
                  </Button>
                </div>
              </>
            )}
          </Form>
        </div>
      ) : (
        <div role="status" aria-label={t('Loading')} className="grid place-items-center py-8">
          <Spinner size="large" />
        </div>
      )}
    </Dialog>
  )
}

/** Asked for once, however often React looks; where it is refused there is nothing to show. */
function useSetupStart(onRefused: () => void) {
  const begin = useBeginTwoFactor()
  const hasAsked = useRef(false)
  const { mutate } = begin
  useEffect(() => {
    if (hasAsked.current) return
    hasAsked.current = true
    mutate(undefined, { onError: onRefused })
  }, [mutate, onRefused])
  return begin
}

// Audit log verification, with an optional seal from an email.
import { useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Disclosure } from '@/ui/disclosure'
import { Field } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { adminMessages } from '../messages'
import { useVerifyAuditLog } from '../mutations'

const texts = adminMessages.audit
const MAX_SEAL_LENGTH = 200

export function VerifyAuditLog() {
  const { orgTimezone } = useCurrentUser()
  const [seal, setSeal] = useState('')
  const verify = useVerifyAuditLog()
  const { data: verdict } = verify
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        verify.mutate(seal.trim())
      }}
    >
      <Disclosure summary={t('I have a seal from a mail')}>
        <Field
          label={t('Seal')}
          hint={t('The line of letters from “Seal of your audit log”. With it a cut or rewritten log is found too.')}
        >
          {(aria) => (
            <input
              className="input font-mono"
              autoComplete="off"
              spellCheck={false}
              maxLength={MAX_SEAL_LENGTH}
              value={seal}
              onChange={(event) => setSeal(event.target.value)}
              {...aria}
            />
          )}
        </Field>
      </Disclosure>
      <Button
        type="submit"
        variant="secondary"
        icon="shield"
        className="justify-self-start"
        pending={verify.isPending}
        pendingText={t('Checking...')}
      >
        {t('Check for tampering')}
      </Button>
      {verdict && (
        <Notice tone={verdict.ok ? 'success' : 'error'} title={verdict.ok ? texts.whole : texts.altered}>
          {verdict.detail}{' '}
          {verdict.anchors > 0 &&
            `${plural(verdict.anchors, 'Compared with {count} seal.', 'Compared with {count} seals.', { count: formatCount(verdict.anchors) })} `}
          {formatDateTime(verdict.checkedAt, orgTimezone)}
        </Notice>
      )}
    </form>
  )
}

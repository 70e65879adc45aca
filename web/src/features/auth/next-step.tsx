// Second step after the password: a code, or a required setup.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, type Schema } from '@/api/client'
import { describeError } from '@/api/errors'
import { AuthenticatorKey } from '@/features/two-factor/authenticator-key'
import { CodeField } from '@/features/two-factor/code-field'
import { RecoveryCodes } from '@/features/two-factor/recovery-codes'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Form } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { authMessages } from './messages'
import {
  type NextSignInStep,
  twoFactorSetupQuery,
  useConfirmTwoFactorSetup,
  useSignInWithCode,
  completeSignIn,
} from './mutations'
import { codeSchema, type CodeValues } from './schema'

const texts = authMessages.code

type StepProps = { ticket: string; /** Back to the password. */ onBack: () => void; onSignedIn: () => void }
type NextStepProps = Omit<StepProps, 'ticket'> & { next: NextSignInStep }

export function NextStep({ next: { step, ticket }, ...rest }: NextStepProps) {
  return step === 'code' ? <CodeStep ticket={ticket} {...rest} /> : <SetupStep ticket={ticket} {...rest} />
}

/** Errors of the form; errors of the code are shown at its field. */
function formLevelError(error: unknown): string | undefined {
  return error instanceof ApiError && 'code' in error.errors
    ? undefined
    : describeError(error, texts.failure).description
}

function CodeStep({ ticket, onBack, onSignedIn }: StepProps) {
  const signIn = useSignInWithCode(ticket)
  return (
    <CodeForm
      takesRecovery
      onBack={onBack}
      onCode={async (values) => {
        await signIn.mutateAsync(values)
        onSignedIn()
      }}
    />
  )
}

type CodeFormProps = { takesRecovery?: boolean; onCode: (values: CodeValues) => Promise<void>; onBack: () => void }

function CodeForm({ takesRecovery = false, onCode, onBack }: CodeFormProps) {
  const [problem, setProblem] = useState<string>()
  const send = async (values: CodeValues) => {
    setProblem(undefined)
    await onCode(values)
  }
  return (
    <Form
      label={t('Code')}
      schema={codeSchema}
      defaultValues={{ code: '' }}
      onSubmit={send}
      onFailure={(error) => setProblem(formLevelError(error))}
      className="grid gap-4"
    >
      {(form) => (
        <>
          <CodeField form={form} name="code" takesRecovery={takesRecovery} />
          {problem && <Notice tone="error" title={problem} />}
          <Button type="submit" wide pending={form.formState.isSubmitting} pendingText={t('Signing in...')}>
            {t('Sign In')}
          </Button>
          <Button variant="ghost" wide onClick={onBack}>
            {t('Start again')}
          </Button>
        </>
      )}
    </Form>
  )
}

function SetupStep({ ticket, onBack, onSignedIn }: StepProps) {
  const setUp = useQuery(twoFactorSetupQuery(ticket))
  const confirm = useConfirmTwoFactorSetup(ticket)
  const [first, setFirst] = useState<Schema['FirstSignIn']>()
  if (first) return <RecoveryCodesStep first={first} onSignedIn={onSignedIn} />
  return (
    <div className="grid gap-4">
      <p>{t('Your business asks everybody for a code beside the password. It takes two minutes, once.')}</p>
      <QueryBoundary
        query={setUp}
        errorText={texts.failure}
        renderError={(error) => (isTicketExpired(error) ? <TicketExpired onBack={onBack} /> : undefined)}
      >
        {(found) => (
          <>
            <AuthenticatorKey setUp={found} />
            <CodeForm onBack={onBack} onCode={async (values) => setFirst(await confirm.mutateAsync(values))} />
          </>
        )}
      </QueryBoundary>
    </div>
  )
}

const isTicketExpired = (error: Error) => error instanceof ApiError && error.status === 404

function TicketExpired({ onBack }: { onBack: () => void }) {
  return (
    <div className="grid gap-3">
      <Notice tone="error" title={texts.tooLate} />
      <Button wide onClick={onBack}>
        {t('Start again')}
      </Button>
    </div>
  )
}

/** They are in; the app opens once the codes were kept. */
function RecoveryCodesStep({
  first: { user, recoveryCodes },
  onSignedIn,
}: {
  first: Schema['FirstSignIn']
  onSignedIn: () => void
}) {
  const queryClient = useQueryClient()
  const enter = async () => {
    await completeSignIn(queryClient, user)
    onSignedIn()
  }
  return <RecoveryCodes codes={recoveryCodes} done={t('I have kept them')} onDone={() => void enter()} />
}

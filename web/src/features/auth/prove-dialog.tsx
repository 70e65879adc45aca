// What a stolen phone must not do asks for the password once more, and goes on where it was.
import { useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { proof } from '@/api/proof'
import { CodeField } from '@/second-step/code-field'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Form } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { PasswordField } from '@/ui/password-field'
import { authMessages } from './messages'
import { useProve } from './mutations'
import { proofSchema, type ProofValues } from './schema'

const isAtAField = (error: unknown) => error instanceof ApiError && Object.keys(error.errors).length > 0

const letBe = () => proof.settle(false)

export function ProveDialog() {
  const { email, twoFactorEnabled } = useCurrentUser()
  const prove = useProve()
  const [problem, setProblem] = useState<string>()
  const send = async (values: ProofValues) => {
    setProblem(undefined)
    await prove.mutateAsync(values)
    proof.settle(true)
  }
  return (
    <Dialog open title="Is it you?" onClose={letBe}>
      <p className="mb-4 text-muted">This needs your password once more. For fifteen minutes you are not asked again.</p>
      <Form
        label="Is it you?"
        schema={proofSchema}
        defaultValues={{ password: '', code: '' }}
        onSubmit={send}
        onFailure={(error) => setProblem(isAtAField(error) ? undefined : describeError(error, authMessages.prove.failure).description)}
        className="grid gap-4"
      >
        {(form) => (
          <>
            {/* For password managers: whose password it is. */}
            <input type="email" autoComplete="username" value={email} readOnly hidden />
            <PasswordField form={form} name="password" label="Password" autoComplete="current-password" />
            {twoFactorEnabled && <CodeField form={form} name="code" takesRecovery />}
            {problem && <Notice tone="error" title={problem} />}
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={letBe}>Cancel</Button>
              <Button type="submit" pending={form.formState.isSubmitting} pendingText="Checking...">Go on</Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}

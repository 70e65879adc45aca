// A passkey, or email and password and the step that may follow: on the login page and where a session ended under someone's hands.
import { lazy, Suspense, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { hasPasskeys } from '@/lib/passkeys'
import { Button } from '@/ui/button'
import { Form } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { PasswordField } from '@/ui/password-field'
import { SkeletonLines } from '@/ui/skeleton'
import { TextField } from '@/ui/field'
import { toast } from '@/ui/toast/toast-store'
import { authMessages } from './messages'
import { PasskeySignIn } from './passkey-sign-in'
import { isNextStep, type NextStep as Next, useLogin } from './mutations'
import { loginSchema, type LoginValues } from './schema'

// Most sign-ins have no second step: it is fetched by those that do.
const NextStep = lazy(async () => ({ default: (await import('./next-step')).NextStep }))
const Held = lazy(async () => ({ default: (await import('./held')).Held }))

type LoginFormProps = { email?: string; onSignedIn?: () => void }

const nothing = () => undefined

export function LoginForm({ email = '', onSignedIn = nothing }: LoginFormProps) {
  const [next, setNext] = useState<Next>()
  if (next)
    return (
      <Suspense fallback={<SkeletonLines />}>
        <NextStep key={next.ticket} next={next} onBack={() => setNext(undefined)} onSignedIn={onSignedIn} />
      </Suspense>
    )
  return (
    <>
      <PasskeySignIn onSignedIn={onSignedIn} />
      <Password email={email} onSignedIn={onSignedIn} onNext={setNext} />
    </>
  )
}

/** So many wrong passwords were tried for the address that no more are looked at for now. */
const isHeld = (error: unknown) => error instanceof ApiError && error.code === 'sign_in_held'

type PasswordProps = { email: string; onSignedIn: () => void; onNext: (next: Next) => void }

function Password({ email, onSignedIn, onNext }: PasswordProps) {
  const login = useLogin()
  const [problem, setProblem] = useState<string>()
  const texts = authMessages.login

  const signIn = async (values: LoginValues) => {
    setProblem(undefined)
    const answer = await login.mutateAsync(values)
    if (isNextStep(answer)) onNext(answer)
    else onSignedIn()
  }

  const fail = (error: unknown) => {
    if (!isHeld(error))
      setProblem(describeError(error, { title: texts.failureTitle, description: texts.failure }).description)
  }

  return (
    <Form
      label="Sign in"
      schema={loginSchema}
      defaultValues={{ email, password: '' }}
      onSubmit={signIn}
      onInvalid={() => toast.error(texts.missing.title, texts.missing.description)}
      onFailure={fail}
      className="grid gap-4"
    >
      {(form) => (
        <>
          <TextField
            form={form}
            name="email"
            label="Email"
            type="email"
            required
            autoComplete="username webauthn"
            inputMode="email"
            autoCapitalize="none"
          />
          <PasswordField form={form} name="password" label="Password" autoComplete="current-password" />
          {problem && <Notice tone="error" title={problem} />}
          {isHeld(login.error) && (
            <Suspense fallback={<SkeletonLines />}>
              <Held email={login.variables?.email ?? ''} />
            </Suspense>
          )}
          <Button
            type="submit"
            wide
            variant={hasPasskeys() ? 'secondary' : 'primary'}
            pending={form.formState.isSubmitting}
            pendingText="Signing in..."
          >
            Sign In
          </Button>
        </>
      )}
    </Form>
  )
}

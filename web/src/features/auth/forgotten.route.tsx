// A forgotten password: where its link is mailed to. The answer is the same whoever the address belongs to.
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { paths } from '@/lib/paths'
import { Button } from '@/ui/button'
import { TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { AuthCard } from './auth-card'
import { LinkSent } from './link-sent'
import { useForgotten } from './mutations'
import { forgottenSchema, type ForgottenValues } from './schema'

/** The toast of a failure is the command's; the field shows the rest. */
const said = () => undefined

export function Component() {
  useDocumentTitle('Forgot your password?')
  const forgotten = useForgotten()
  const [sentTo, setSentTo] = useState<string>()
  const ask = async (values: ForgottenValues) => {
    await forgotten.mutateAsync(values)
    setSentTo(values.email)
  }
  return (
    <AuthCard
      title="Forgot your password?"
      lead="We mail you a link to choose a new one."
      footer={
        <Link to={paths.login()} className="text-link inline-flex min-h-11 items-center">
          Back to sign in
        </Link>
      }
    >
      {sentTo ? (
        <LinkSent email={sentTo} />
      ) : (
        <Form
          label="Forgot your password?"
          schema={forgottenSchema}
          defaultValues={{ email: '' }}
          onSubmit={ask}
          onFailure={said}
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
                autoComplete="username"
                inputMode="email"
                autoCapitalize="none"
              />
              <Button type="submit" wide icon="mail" pending={form.formState.isSubmitting} pendingText="Sending...">
                Mail me a link
              </Button>
            </>
          )}
        </Form>
      )}
    </AuthCard>
  )
}

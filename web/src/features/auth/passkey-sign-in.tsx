// Passkey sign-in by button and by autofill.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, unwrap } from '@/api/client'
import { describeError } from '@/api/errors'
import { t } from '@/lib/i18n'
import { getPasskey, supportsPasskeys, isCancelled, supportsPasskeyAutofill } from '@/lib/passkeys'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { completeSignIn } from './mutations'

const texts = {
  cancelled: t('No passkey was used. Try again, or use your password.'),
  failure: { title: t('Not signed in'), description: t('This passkey did not work. Use your password.') },
} as const

/** `onChosen` is called once a person has chosen a passkey: what fails from then on concerns them. */
type PasskeyOptions = { signal: AbortSignal; mediation?: CredentialMediationRequirement; onChosen?: () => void }

async function signIn({ onChosen, ...how }: PasskeyOptions) {
  const begun = await unwrap(api.POST('/api/auth/passkey/challenge'))
  const credential = await getPasskey(begun.publicKey, how)
  onChosen?.()
  return unwrap(api.POST('/api/auth/passkey', { body: { challenge: begun.challenge, credential } }))
}

function usePasskey(onSignedIn: () => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: signIn,
    meta: { failure: false },
    onSuccess: async (user) => {
      await completeSignIn(queryClient, user)
      onSignedIn()
    },
  })
}

const passkeyErrorText = (error: unknown) =>
  isCancelled(error) ? texts.cancelled : describeError(error, texts.failure).description

export function PasskeySignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const { mutate, ...passkey } = usePasskey(onSignedIn)
  const [problem, setProblem] = useState<string>()
  const [isAsked, setIsAsked] = useState(false)
  const running = useRef<AbortController>(null)

  useEffect(() => {
    const suggestion = new AbortController()
    running.current = suggestion
    const suggest = async () => {
      const can = await supportsPasskeyAutofill()
      if (!can || suggestion.signal.aborted) return
      let isChosen = false
      mutate(
        {
          signal: suggestion.signal,
          mediation: 'conditional',
          onChosen: () => {
            isChosen = true
          },
        },
        {
          // An ignored suggestion is no error.
          onError: (error) => isChosen && setProblem(passkeyErrorText(error)),
        },
      )
    }
    void suggest()
    return () => running.current?.abort()
  }, [mutate])

  if (!supportsPasskeys()) return null
  const ask = () => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setProblem(undefined)
    setIsAsked(true)
    mutate(
      { signal: controller.signal },
      {
        onError: (error) => setProblem(passkeyErrorText(error)),
        onSettled: () => setIsAsked(false),
      },
    )
  }
  return (
    <div className="mb-4 grid gap-3">
      <Button
        wide
        icon="shield"
        onClick={ask}
        pending={isAsked && passkey.isPending}
        pendingText={t('Waiting for your passkey...')}
      >
        {t('Sign in with a passkey')}
      </Button>
      {problem && <Notice tone="error" title={problem} />}
      <p className="text-center text-note text-muted">{t('or with your email and password')}</p>
    </div>
  )
}

// Everything the business has, in one file. A plain link, because the file leaves while it is made and the browser shows how
// far it is; and a link cannot ask who somebody is, so that is asked before it leads anywhere.
import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { proof } from '@/api/proof'
import { saveFrom } from '@/lib/download'
import { ExternalButton } from '@/ui/button'

const PATH = '/api/organization/export'

/** Whether they have proved it by now. */
async function isProved(): Promise<boolean> {
  const { isFresh } = await unwrap(api.GET('/api/account'))
  return isFresh || proof.ask()
}

export function TakeAllButton({ wide }: { wide?: boolean }) {
  const ask = useMutation({
    mutationFn: isProved,
    onSuccess: (may) => {
      if (may) saveFrom(PATH)
    },
    meta: { failure: { title: 'Not downloaded', description: 'It did not work. Please try again.' } },
  })
  const go = (event: { preventDefault: () => void }) => {
    event.preventDefault()
    if (!ask.isPending) ask.mutate()
  }
  return (
    <ExternalButton href={PATH} download icon="download" variant="secondary" {...(wide ? { wide } : {})} onClick={go}>
      Download everything
    </ExternalButton>
  )
}

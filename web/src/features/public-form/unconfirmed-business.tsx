// Note on the forms of a business whose owner has not confirmed the email address: anyone may have registered it.
import { Notice } from '@/ui/notice'

export function UnconfirmedBusiness() {
  return (
    <Notice tone="warning" title="This business has not confirmed its email address yet.">
      <p lang="es">Esta empresa todavía no ha confirmado su correo electrónico.</p>
    </Notice>
  )
}

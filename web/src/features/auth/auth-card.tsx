// Layout of the sign-in screens: form and product pitch.
import type { ReactNode } from 'react'
import { Card } from '@/ui/card'
import { AuthPitch } from './auth-pitch'

type AuthCardProps = { title: string; lead: string; children: ReactNode; footer: ReactNode }

export function AuthCard({ title, lead, children, footer }: AuthCardProps) {
  return (
    <div className="mx-auto grid w-full max-w-md gap-8 px-4 pt-4 lg:max-w-5xl lg:grid-cols-2 lg:gap-16 lg:pt-16">
      <Card className="sm:p-8 lg:order-last">
        <h1 className="text-title">{title}</h1>
        <p className="mt-1 mb-6 text-muted">{lead}</p>
        {children}
        {footer && <p className="mt-5 border-t border-primary/22 pt-4 text-center text-muted">{footer}</p>}
      </Card>
      <AuthPitch />
    </div>
  )
}

// The pane both pages of the door share.
import type { ReactNode } from 'react'
import { Card } from '@/ui/card'

type AuthCardProps = { title: string; lead: string; children: ReactNode; footer: ReactNode }

export function AuthCard({ title, lead, children, footer }: AuthCardProps) {
  return (
    <div className="mx-auto w-full max-w-md px-4 pt-4 sm:pt-10">
      <Card className="sm:p-8">
        <h1 className="text-title">{title}</h1>
        <p className="mt-1 mb-6 text-muted">{lead}</p>
        {children}
        <p className="mt-5 border-t border-primary/22 pt-4 text-center text-muted">{footer}</p>
      </Card>
    </div>
  )
}

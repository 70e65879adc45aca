// The way out: one button that saves everything.
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { renderWithApp } from '@/testing/render-app'
import { YourDataCard } from './your-data-card'

it('saves all that the business has under the name that the server gives', async () => {
  startFakeServer().on('GET', '/api/auth/me', { body: buildUser() })
  renderWithApp(<YourDataCard />)
  const link = await screen.findByRole('link', { name: 'Download everything' })
  expect(link).toHaveAttribute('href', '/api/organization/export')
  expect(link).toHaveAttribute('download')
})

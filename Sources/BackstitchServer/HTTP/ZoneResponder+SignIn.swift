import BackstitchSupport
import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ZoneResponder {
    /// `auth/oidc`: takes a provider's ID token, and returns the user's web token and record name.
    ///
    /// The caller is unknown yet, so requests and bytes count for the address. Refused tokens count as failed attempts.
    /// A good token is accepted after any number of them.
    ///
    /// - Throws: NOT_FOUND on a server without providers; AUTHENTICATION_FAILED with the reason for a refused token;
    ///   THROTTLED after too many of them, and during too many sign-ins at once; TRY_AGAIN_LATER while a provider's
    ///   keys are unavailable.
    // Not inlined, since long polls keep the caller's frame while they wait.
    @inline(never)
    func signIn(_ incoming: IncomingRequest) async throws -> Response {
        guard let signIn = service.accounts.signIn else {
            throw WireError(
                .notFound, "this server has no sign-in by OpenID Connect; it is set by signInProviders (--oidc)")
        }
        guard incoming.request.method == .post else { throw WireError(.badRequest, "auth/oidc answers to POST") }
        return try await signInPlaces.run(from: incoming.address) { try await self.signIn(incoming, signIn) }
    }

    private func signIn(_ incoming: IncomingRequest, _ signIn: SignIn) async throws -> Response {
        let holder = "_sign-in \(incoming.address)", address = incoming.address
        let accounts = service.accounts.signInAccounts
        let pass = try reception.admit(holder, from: address)
        let reader = BodyReader(
            channel: incoming.context.channel, timeout: configuration.bodyTimeout, pace: configuration.bodyPace)
        let body = try await reader.collect(incoming.request, limit: SignIn.largestRequest, pass)
        let budget = AnswerBudget(configuration.standardLimits), attempts = authenticator.attempts
        let answer: BoundedAnswer
        do {
            let pending = try await reception.work(for: holder, bytes: body.readableBytes) {
                let request = try Self.signInRequest(body)
                return try signIn.open(request)
            }
            // The provider may be slow. The wait is not counted as the server's work.
            let verifiers = try await signIn.verifiers(for: pending)
            answer = try await reception.work(for: holder, bytes: body.readableBytes) {
                try budget.close(await signIn.finish(pending, verifiers, in: accounts))
            }
        } catch let fault as IDTokenFault {
            // The check comes last: a good token is not refused for bad ones from the same address.
            try attempts.admit(nil, from: address)
            attempts.noteFailure(from: address)
            throw fault.wireError
        }
        var response = Response.json(answer, keeping: pass, over: incoming.context.channel)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Parses the body of a sign-in.
    ///
    /// - Throws: BAD_REQUEST for bytes of another form.
    private static func signInRequest(_ body: ByteBuffer) throws(WireError) -> SignInRequest {
        do throws(WireCodingError) { return try SignInRequest(wireJSON: body.readableBytesView) } catch {
            throw WireError(.badRequest, error.description)
        }
    }
}

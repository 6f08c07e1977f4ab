import BackstitchSupport
import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ZoneResponder {
    /// `auth/oidc`: takes an ID token of a provider, and gives the user's web token and record name.
    ///
    /// Nobody is known yet, so all counts for the address: requests and bytes, and tokens that are not taken count as
    /// failed attempts. A good token is taken however many of those there were.
    ///
    /// - Throws: NOT_FOUND on a server without providers; AUTHENTICATION_FAILED with the reason for a token that is not
    ///   taken; THROTTLED after too many of them, and while too many sign in; TRY_AGAIN_LATER while a provider's keys
    ///   cannot be had.
    // Not a part of its caller, which long polls keep while they wait.
    @inline(never)
    func signIn(_ incoming: IncomingRequest) async throws -> Response {
        guard let signIn = service.signIn else {
            throw WireError(
                .notFound, "this server has no sign-in by OpenID Connect; it is set by signInProviders (--oidc)")
        }
        guard incoming.request.method == .post else { throw WireError(.badRequest, "auth/oidc answers to POST") }
        return try await signInPlaces.run(from: incoming.address) { try await self.signIn(incoming, signIn) }
    }

    private func signIn(_ incoming: IncomingRequest, _ signIn: SignIn) async throws -> Response {
        let holder = "_sign-in \(incoming.address)", address = incoming.address
        let accounts = service.signInAccounts
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
            // The provider may take its time: it is not the server's work.
            let verifiers = try await signIn.verifiers(for: pending)
            answer = try await reception.work(for: holder, bytes: body.readableBytes) {
                try budget.close(await signIn.finish(pending, verifiers, in: accounts))
            }
        } catch let fault as IDTokenFault {
            // After the look: a good token is not refused for bad ones of others behind the same address.
            try attempts.admit(nil, from: address)
            attempts.noteFailure(from: address)
            throw fault.wireError
        }
        var response = Response.json(answer, keeping: pass, over: incoming.context.channel)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// - Throws: BAD_REQUEST for bytes that are no such message.
    private static func signInRequest(_ body: ByteBuffer) throws(WireError) -> SignInRequest {
        do throws(WireCodingError) { return try SignInRequest(wireJSON: body.readableBytesView) } catch {
            throw WireError(.badRequest, error.description)
        }
    }
}

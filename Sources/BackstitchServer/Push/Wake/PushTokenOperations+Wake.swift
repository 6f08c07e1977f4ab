import Backstitch
import BackstitchSupport
import CloudWire

extension PushTokenOperations {
    /// `tokens/register` with a token of APNs. From now on, the app on this device is woken when a subscription of the
    /// caller fires while the app does not run.
    ///
    /// - Throws: BAD_REQUEST if the server does not push to the container's app.
    func register(_ token: WakeToken, _ request: PushToken, _ scope: RequestScope) async throws -> EmptyBody {
        guard server.push.wake?.configuration.topic(of: scope.container) != nil else {
            throw WireError(
                .badRequest,
                "this server sends no pushes by APNs for '\(scope.container)'; wait at the webcourierURL of tokens/create"
            )
        }
        guard ["development", "production"].contains(request.apnsEnvironment) else {
            throw WireError(
                .badRequest,
                "unknown apnsEnvironment '\(request.apnsEnvironment.shown(40))'; use development or production")
        }
        let limit = server.configuration.userQuotas.pushTokens
        try await server.change(scope) { writing in
            let owner = try server.makeOwner(scope, writing)
            let device = StoredWakeDevice(
                tenantID: owner.tenantID, token: token, isDevelopment: request.apnsEnvironment == "development",
                poll: scope.device?.digest, registered: server.clock.milliseconds(), credential: scope.bearer.credential
            )
            try writing.putWakeDevice(device, user: scope.user)
            try writing.removeWakeDevices(tenantID: owner.tenantID, user: scope.user, beyond: limit)
        }
        return EmptyBody()
    }
}

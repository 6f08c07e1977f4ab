import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ZoneResponder {
    /// Reads the body, does what the endpoint does, and writes the answer.
    func answer(
        _ incoming: IncomingRequest, _ endpoint: WireEndpoint, _ scope: RequestScope
    ) async throws -> Response {
        try checkMethod(incoming.request.method, endpoint)
        let reader = BodyReader(channel: incoming.context.channel, timeout: configuration.bodyTimeout)
        let body = try await reader.collect(incoming.request, limit: scope.limits.bytes)
        let isLenient = configuration.flaws.contains(.takesDoubledKeys)
        var response: Response = try await answer(endpoint, isLenient ? Body(lenient: body) : Body(body), scope)
        if scope.extensions { response.headers[.wireLimits] = scope.limits.headerValue }
        return response
    }

    /// A body, read when its endpoint asks for it. An empty one stands for an object without keys.
    private struct Body {
        let data: Data

        init(_ buffer: ByteBuffer) {
            let isBlank = buffer.readableBytesView.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            data = isBlank ? Data("{}".utf8) : Data(buffer.readableBytesView)
        }

        /// What ``ServerFlaws/takesDoubledKeys`` does: one reader of JSON before another.
        init(lenient buffer: ByteBuffer) throws {
            let plain = Data(buffer.readableBytesView)
            let object = plain.isEmpty ? [:] : try JSONSerialization.jsonObject(with: plain)
            data = try JSONSerialization.data(withJSONObject: object)
        }

        func read<Message: WireDecodable>(_: Message.Type = Message.self) throws(WireCodingError) -> Message {
            try Message(wireJSON: data)
        }
    }

    private func answer(_ endpoint: WireEndpoint, _ body: Body, _ scope: RequestScope) async throws -> Response {
        switch endpoint {
        case .recordsModify: .json(try await service.modify(try body.read(), body: body.data, scope))
        case .recordsLookup: .json(try await service.lookup(try body.read(), scope))
        case .changesZone: .json(try await service.zoneChanges(try body.read(), scope))
        case .recordsChanges: .json(try await service.recordChanges(try body.read(), scope))
        case .changesDatabase: try .json(await service.databaseChanges(try body.read(), scope))
        case .zonesChanges: try .json(await olderDatabaseChanges(try body.read(), scope))
        case .zonesList: try .json(await service.listZones(scope))
        case .zonesLookup: try .json(await service.lookupZones(try body.read(), scope))
        case .zonesModify: try .json(await service.modifyZones(try body.read(), scope))
        case .assetsUpload: try .json(await service.uploadAddresses(try body.read(), scope))
        case .subscriptionsList: try .json(await service.listSubscriptions(scope))
        case .subscriptionsLookup: try .json(await service.lookupSubscriptions(try body.read(), scope))
        case .subscriptionsModify: try .json(await service.modifySubscriptions(try body.read(), scope))
        case .tokensCreate: try .json(await service.createToken(try body.read(), scope))
        case .tokensRegister: try .json(await service.registerToken(try body.read(), scope))
        case .usersCaller:
            try answerUser(scope, in: [.public])
        case .usersCurrent: try answerUser(scope, in: [.public, .private])
        }
    }

    private func answerUser(_ scope: RequestScope, in scopes: [DatabaseScope]) throws -> Response {
        try ZoneService.require(scopes, scope)
        return try .json(UserIdentity(userRecordName: scope.user))
    }

    private func olderDatabaseChanges(
        _ request: DatabaseChangesRequest, _ scope: RequestScope
    ) async throws -> DatabaseChangesResponse {
        var response = try await service.databaseChanges(request, scope)
        response.writesMetaSyncToken = true
        return response
    }

    private func checkMethod(_ method: HTTPRequest.Method, _ endpoint: WireEndpoint) throws(WireError) {
        switch endpoint {
        case .zonesList, .subscriptionsList, .usersCaller, .usersCurrent:
            if method == .get || method == .post { return }
        default:
            if method == .post { return }
        }
        throw WireError(.badRequest, "\(endpoint.rawValue) does not answer to \(method.rawValue)")
    }
}

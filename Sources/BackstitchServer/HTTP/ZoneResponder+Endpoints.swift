import BackstitchSupport
import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ZoneResponder {
    /// Identifies the caller, reads the body, runs the operation, and writes the answer.
    ///
    /// - Parameter database: nil for an operation of devices.
    // Not inlined, since long polls keep the caller's frame while they wait.
    @inline(never)
    func answer(
        _ incoming: IncomingRequest, _ endpoint: WireEndpoint, _ container: String, _ environment: String,
        _ database: DatabaseScope?
    ) async throws -> Response {
        try refuseForeignPages(incoming)
        let signed = try await signature(incoming, endpoint, container, database)
        // A device belongs to a user. A server-to-server key has only the public database.
        let place = database ?? (signed == nil ? .private : .public)
        let scope = try await scope(incoming, container, environment, place, endpoint, signed)
        try endpoint.checkPlace(incoming.request.method, place)
        let user = scope.account
        let (pass, body) = try await collect(incoming, scope, user, signed)
        let made = try await reception.work(for: user, bytes: body.readableBytes) {
            try await self.answer(endpoint, Body(body, incoming.parameters), scope)
        }
        var response = Response.json(made, keeping: pass, over: incoming.context.channel)
        if let token = scope.renewedToken { response.headers[.rotatedToken] = token }
        if scope.extensions { response.headers[.wireLimits] = scope.limits.headerValue }
        return response
    }

    /// A body, parsed when its endpoint asks for it. An empty body means an object without keys.
    private struct Body {
        let data: Data
        /// Whether the URL asks for the zone's token, as some clients do.
        let wantsSyncToken: Bool

        init(_ buffer: ByteBuffer, _ parameters: QueryString) {
            wantsSyncToken = parameters["getCurrentSyncToken"]?.asciiLowercased.isSame(as: "true") ?? false
            let isBlank = buffer.readableBytesView.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            data = isBlank ? Data("{}".utf8) : Data(buffer.readableBytesView)
        }

        /// Parses the body as a message.
        ///
        /// - Throws: BAD_REQUEST for bytes of another form. (Unreadable data in the storage is no fault of the caller.)
        func read<Message: WireDecodable>(_: Message.Type = Message.self) throws(WireError) -> Message {
            do throws(WireCodingError) { return try Message(wireJSON: data) } catch {
                throw WireError(.badRequest, error.description)
            }
        }

        func modification() throws(WireError) -> RecordsModifyRequest {
            var request: RecordsModifyRequest = try read()
            if wantsSyncToken { request.getCurrentSyncToken = true }
            return request
        }

        func query() throws(WireError) -> RecordsQueryRequest {
            var request: RecordsQueryRequest = try read()
            if wantsSyncToken { request.getCurrentSyncToken = true }
            return request
        }
    }

    private func answer(_ endpoint: WireEndpoint, _ body: Body, _ scope: RequestScope) async throws -> BoundedAnswer {
        let budget = AnswerBudget(scope.limits)
        return switch endpoint {
        case .recordsModify: try await service.records.modify(try body.modification(), body: body.data, scope, budget)
        case .recordsQuery: try await service.queries.query(try body.query(), scope, budget)
        case .recordsLookup: try await service.records.lookup(try body.read(), scope, budget)
        case .changesZone: try await service.changes.zoneChanges(try body.read(), scope, budget)
        case .changesQuery: try await service.changes.queryChanges(try body.read(), scope, budget)
        case .recordsChanges: try await service.changes.recordChanges(try body.read(), scope, budget)
        case .recordsResolve: try budget.close(await service.shares.resolve(try body.read(), scope))
        case .recordsAccept: try budget.close(await service.shares.accept(try body.read(), scope))
        case .changesDatabase: try budget.close(await service.changes.databaseChanges(try body.read(), scope))
        case .zonesChanges: try budget.close(await olderDatabaseChanges(try body.read(), scope))
        case .zonesList: try budget.close(await service.zones.list(scope))
        case .zonesLookup: try budget.close(await service.zones.lookup(try body.read(), scope))
        case .zonesModify: try budget.close(await service.zones.modify(try body.read(), scope))
        case .assetsUpload: try budget.close(await service.assets.uploadAddresses(try body.read(), scope))
        case .assetsRereference: try budget.close(await service.assets.rereference(try body.read(), scope))
        case .subscriptionsList: try budget.close(await service.subscriptions.list(scope))
        case .subscriptionsLookup: try budget.close(await service.subscriptions.lookup(try body.read(), scope))
        case .subscriptionsModify: try budget.close(await service.subscriptions.modify(try body.read(), scope))
        case .tokensCreate: try budget.close(await service.pushTokens.create(try body.read(), scope))
        case .tokensRegister: try budget.close(await service.pushTokens.register(try body.read(), scope))
        case .tokensUnregister: try budget.close(await service.pushTokens.unregister(try body.read(), scope))
        case .usersCaller: try budget.close(await service.accounts.caller(scope))
        case .usersCurrent: try budget.close(await service.accounts.current(scope))
        case .usersDiscover: try budget.close(await service.accounts.discover(try body.read(), scope))
        case .usersLookupEmail: try budget.close(await service.accounts.lookUpByAddress(try body.read(), scope))
        case .usersLookupID: try budget.close(await service.accounts.lookUpByName(try body.read(), scope))
        // The server has no address books.
        case .usersLookupContacts: try budget.close(UsersResponse(users: []))
        }
    }

    private func olderDatabaseChanges(
        _ request: DatabaseChangesRequest, _ scope: RequestScope
    ) async throws -> DatabaseChangesResponse {
        var response = try await service.changes.databaseChanges(request, scope)
        response.writesMetaSyncToken = true
        return response
    }
}

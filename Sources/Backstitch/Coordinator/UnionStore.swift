import Foundation

/// The union of a coordinator's stores, if it has several. It asks each store that holds an entity, and combines the
/// results.
///
/// An entity that only one store holds costs no more than with that store alone. Results of several stores are merged
/// in memory, in the requested order.
final class UnionStore: PersistentStore {
    static let typeName = "several stores"

    let members: [StoreMember]
    let model: ResolvedModel

    init(_ members: [StoreMember], model: ResolvedModel) {
        self.members = members
        self.model = model
    }

    init(_ configuration: StoreConfiguration) throws {
        throw BackstitchError(.invalidRequest, "several stores are opened by a coordinator with several descriptions")
    }

    /// The identifier of the first store; all zeros if there is none.
    var identifier: UUID { members.first?.store.identifier ?? ObjectKey(high: 0, low: 0).uuid }

    var assets: any AssetStorage {
        let writable = members.first { !$0.description.isReadOnly } ?? members.first
        return UnionAssets(stores: members.map(\.store.assets), first: writable?.store.assets ?? NoAssets())
    }

    var hasAssetsElsewhere: Bool { members.contains(where: \.store.hasAssetsElsewhere) }

    func collectAssets() throws -> Int { try members.reduce(0) { try $0 + $1.store.collectAssets() } }

    func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        let asked = members(for: request.fetch)
        guard let only = asked.first else { return DictionaryRows([]) }
        guard asked.count == 1 else {
            throw BackstitchError(
                .invalidRequest,
                "values of \(request.fetch.entity.name) cannot be fetched from \(asked.count) stores at once; "
                    + "fetch objects, and take the values from them")
        }
        return try only.store.fetchDictionaries(request)
    }

    func execute(_ request: StoreBatchRequest) throws -> StoreChanges {
        switch request.operation {
        case .insert(let entity, _):
            let member = try insertionMember(of: entity)
            return try member.store.execute(refusingKeysOfOtherStores(request, in: member))
        case .update(let fetch, _), .delete(let fetch): return try execute(request, on: members(for: fetch), fetch)
        }
    }

    private func execute(
        _ request: StoreBatchRequest, on asked: [StoreMember], _ fetch: StoreFetchRequest
    ) throws -> StoreChanges {
        guard asked.count < 2 || (fetch.limit == nil && fetch.offset == 0) else {
            throw BackstitchError(
                .invalidRequest,
                "a batch request with a limit or offset goes to one store, and \(asked.count) hold "
                    + "\(fetch.entity.name); name one as affectedStores")
        }
        var changes = StoreChanges()
        for member in asked {
            do { changes.merge(try member.store.execute(request)) } catch {
                guard !changes.isEmpty else { throw error }
                throw PartialBatch(
                    changes: changes,
                    error: Self.explained(
                        error, of: member, after: "the batch request was carried out in",
                        "Name the intended stores as affectedStores"))
            }
        }
        return changes
    }

    func close() throws {
        var first: (any Error)?
        for member in members {
            do { try member.store.close() } catch { first = first ?? error }
        }
        if let first { throw first }
    }
}

extension UnionStore {
    /// Returns the stores that hold the request's entity, limited to its affected stores.
    func members(for request: StoreFetchRequest) -> [StoreMember] {
        members.filter { member in
            member.holds(request.entity) && request.affectedStores?.contains(member.store.identifier) != false
        }
    }

    /// Returns the store for a new object: its assigned store, else the first writable one that holds its entity.
    func member(ofNew entity: ResolvedEntity, assigned: UUID?) throws -> StoreMember {
        let chosen = assigned.flatMap { id in members.first { $0.store.identifier == id && $0.holds(entity) } }
        return try chosen ?? insertionMember(of: entity)
    }

    /// Returns the store for a new object without an assignment: the first writable one that holds its entity.
    func insertionMember(of entity: ResolvedEntity) throws -> StoreMember {
        if let member = members.first(where: { $0.holds(entity) && !$0.description.isReadOnly }) { return member }
        let holders = members.filter { $0.holds(entity) }
        guard !members.isEmpty else {
            throw BackstitchError(
                .storeClosed,
                "the coordinator's last store was removed, so no store can take an object of \(entity.name); "
                    + "open another container"
            )
        }
        guard holders.isEmpty else {
            throw BackstitchError(
                .readOnly,
                "all stores that hold \(entity.name) are read-only: \(holders.map(\.name).joined(separator: ", "))",
                key: entity.name)
        }
        throw BackstitchError(
            .invalidRequest, "no store of the coordinator holds \(entity.name); add it to the configuration of one",
            key: entity.name)
    }

    /// Returns the stores of rows, by position among the members. Rows that no store has are left out. If one store
    /// alone holds the entity, it is returned for all keys without a check.
    ///
    /// - Complexity: No statement when one store alone holds the entity; else one statement for each store that holds
    ///   it.
    func places(of keys: [ObjectKey], _ entity: ResolvedEntity) throws -> [ObjectKey: Int] {
        let holders = members.indices.filter { members[$0].holds(entity) }
        if holders.count == 1 { return Dictionary(keys.map { ($0, holders[0]) }, uniquingKeysWith: { $1 }) }
        var places: [ObjectKey: Int] = [:]
        for index in holders {
            let missing = keys.filter { places[$0] == nil }
            guard !missing.isEmpty else { break }
            for key in try members[index].store.rows(of: entity, keys: missing).keys { places[key] = index }
        }
        return places
    }
}

package import Backstitch
import Foundation

/// The description of a store's model in the store.
package struct StoredModelMetadata: Sendable {
    /// The name of the store in messages.
    private let store: String
    private let text: String
    private let lineage: [String]

    /// Reads the description from its texts.
    ///
    /// - Parameter text: The fingerprint of the store's model.
    /// - Parameter lineage: The text of ``StoreTable/Name/lineage``; nil before the first migration.
    package init(store: String, model text: String, lineage: String?) throws {
        self.store = store
        self.text = text
        do {
            self.lineage = try lineage.map { try JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? []
        } catch {
            throw BackstitchError(
                .storeFailure, "\(store) is damaged: the list of its former models cannot be read; restore it",
                cause: error)
        }
    }

    static func text(ofLineage lineage: [String]) throws -> String {
        String(decoding: try JSONEncoder().encode(lineage), as: UTF8.self)
    }

    /// The migration that a store needs before it can be opened with a configuration; nil when it needs none.
    ///
    /// - Throws: ``BackstitchError/Code/modelMismatch`` with every reason when a migration is needed but impossible or
    ///   not allowed; ``BackstitchError/Code/newerFormat`` when the store has already left the program's model behind,
    ///   and going back would lose data.
    package func migration(for configuration: StoreConfiguration) throws -> StoreMigration? {
        let new = ModelFingerprint(configuration.storedModel)
        if try text == new.text() { return nil }
        let old = try ModelFingerprint(text: text)
        if old.storesLike(new), configuration.isReadOnly || !configuration.migratesAutomatically { return nil }
        if !old.storesLike(new) { try requirePermission(configuration, new, old) }
        let isBehind = try lineage.contains(new.versionHash())
        do {
            let migration = try migration(from: old, to: new, configuration)
            if !isBehind || !migration.plan.losesData { return migration }
        } catch let error as BackstitchError where !isBehind || error.code != .modelMismatch {
            throw error
        }
        throw BackstitchError(
            .newerFormat,
            "\(store) was migrated from this program's model to a later one by a newer program. It cannot be "
                + "migrated back without loss, so it was left as it is; update the program. What differs:\n"
                + new.differences(from: old).map { "  - \($0)" }.joined(separator: "\n"))
    }

    private func migration(
        from old: ModelFingerprint, to new: ModelFingerprint, _ configuration: StoreConfiguration
    ) throws -> StoreMigration {
        let hops: [MigrationHop]
        do {
            hops = try MigrationRoute(configuration).hops(from: old)
        } catch let error as MigrationRoute.DeadEnd {
            throw new.mismatch(with: old, store: store, reason: error.reason)
        }
        let faults = hops.flatMap(\.mapping.faults)
        guard faults.isEmpty else { throw refusal(faults, new, old) }
        if configuration.keepsOutbox, let move = hops.flatMap(\.mapping.contentMoves).first(where: \.isSynced) {
            let path = "\(move.entity.name).\(move.property.name)"
            throw new.mismatch(
                with: old, store: store,
                reason: "\(path) is synced, and the type of its field on the server cannot change between BYTES and "
                    + "ASSET; leave its storage as it was, or add an attribute of another name",
                key: path)
        }
        let source = try old.versionHash(), destination = try new.versionHash()
        let passed = try hops.map { try ModelFingerprint($0.mapping.new).versionHash() }
        let left = lineage.filter { $0 != source && $0 != destination && !passed.contains($0) }
        return StoreMigration(
            plan: MigrationPlan(store: store, from: source, to: destination, steps: hops.flatMap(\.steps)),
            hops: hops, fingerprint: new,
            lineage: left + [source] + passed.filter { $0 != source && $0 != destination }
                + [destination])
    }

    /// Throws when a store of another model must not be migrated: it is read-only, or the option is off.
    private func requirePermission(
        _ configuration: StoreConfiguration, _ new: ModelFingerprint, _ old: ModelFingerprint
    ) throws {
        let reason: String
        if configuration.isReadOnly {
            reason = "it is opened read-only, and so cannot be migrated"
        } else if !configuration.migratesAutomatically {
            reason = "the option migratesStoreAutomatically is false"
        } else {
            return
        }
        throw new.mismatch(with: old, store: store, reason: reason)
    }

    private func refusal(
        _ faults: [BackstitchError], _ new: ModelFingerprint, _ old: ModelFingerprint
    ) -> BackstitchError {
        let reasons = faults.map { "  - \($0.message)" }.joined(separator: "\n")
        let error = new.mismatch(
            with: old, store: store,
            reason: "the migration cannot be inferred from the models; write a migration stage for it:\n\(reasons)")
        return BackstitchError(error.code, error.message, key: faults.count == 1 ? faults[0].key : nil, faults: faults)
    }
}

extension ModelMapping.Move {
    /// Whether records have the attribute as a field.
    fileprivate var isSynced: Bool { property.attribute?.syncDirection != SyncDirection.none }
}

extension StoreConfiguration {
    /// Whether a store of another model may be migrated.
    var migratesAutomatically: Bool { options.value(.migratesStoreAutomatically) ?? true }
}

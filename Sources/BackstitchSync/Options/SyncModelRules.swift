import Backstitch

extension ResolvedModel {
    /// Returns the faults that prevent sync of the model; each names its property. Records arrive singly and in any
    /// order, so an object must be valid without any value and any destination.
    func syncFaults() -> [BackstitchError] {
        entities.flatMap { entity in
            entity.constraintFaults + predicateFaults(of: entity) + entity.envelopeFaults
                + entity.ownProperties.compactMap { property -> BackstitchError? in
                    let path = "\(entity.name).\(property.name)"
                    if let attribute = property.attribute, !attribute.isOptional, property.isSynced,
                        attribute.defaultValue.isNull
                    {
                        return BackstitchError(
                            .invalidModel,
                            "\(path) must be optional or have a default: records of other versions may come without it",
                            key: path)
                    }
                    if let relationship = property.relationship, !relationship.description.isOptional {
                        return BackstitchError(
                            .invalidModel, "\(path) must be optional: an object may arrive before its destination",
                            key: path)
                    }
                    return nil
                }
        }
    }

    private func predicateFaults(of entity: ResolvedEntity) -> [BackstitchError] {
        guard let described = model.entities.first(where: { $0.name == entity.name }) else { return [] }
        do {
            guard let predicate = try described.syncPredicate() else { return [] }
            _ = try predicate.resolved(for: entity, in: self)
            if let paths = predicate.valuePaths, paths.allSatisfy({ isOwnValue($0, of: entity) }) { return [] }
            return [
                BackstitchError(
                    .invalidModel,
                    "\(entity.name) has a sync predicate that looks beyond the object's own attributes and "
                        + "to-one relationships: its result could change without a save of the object", key: entity.name
                )
            ]
        } catch {
            return [
                BackstitchError(
                    .invalidModel, "\(entity.name) has an invalid sync predicate: \(error)", key: entity.name,
                    cause: error)
            ]
        }
    }

    private func isOwnValue(_ path: FetchKeyPath, of entity: ResolvedEntity) -> Bool {
        path.root == .subject && path.names.count == 1
            && path.names.allSatisfy { name in
                entity.property(named: name).map { $0.slot < entity.columnCount } ?? false
            }
    }

    /// Checks that the model can be synced.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel`` with every fault.
    func checkForSync() throws {
        let faults = syncFaults()
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .invalidModel, summary: "the model cannot be synced; it has \(faults.count) faults:")
        }
    }

}

extension SyncedModel {
    /// A text that changes when this version may read records differently than before.
    var fingerprint: String {
        let entities = heldEntities.sorted { $0.entity.name < $1.entity.name }.map { entity in
            let fields = entity.entity.syncedProperties.map { property in
                let kind = property.attribute.map { "\($0.type)\($0.allowsExternalStorage ? "+" : "")" }
                let way = property.attribute?.syncDirection ?? .both
                let form =
                    (property.attribute?.isEncrypted == true ? "!" : "")
                    + (entity.largeName(of: property) == nil ? "" : "~")
                return "\(property.name):\(kind ?? property.destinationName)\(way.downloads ? "" : "-")\(form)"
            }
            return "\(entity.entity.name)(\(fields.sorted().joined(separator: ",")))"
        }
        return "1 " + entities.joined(separator: ";")
    }
}

extension ResolvedEntity {
    /// The conflicts of names with the field that holds the key of an encrypted asset.
    fileprivate var envelopeFaults: [BackstitchError] {
        ownProperties.compactMap { property in
            guard let attribute = property.attribute, attribute.isEncrypted, attribute.allowsExternalStorage else {
                return nil
            }
            let taken = (attribute.renamingIdentifier ?? property.name) + "_encryption"
            let fields = properties.map {
                $0.attribute?.renamingIdentifier ?? $0.relationship?.description.renamingIdentifier ?? $0.name
            }
            guard fields.contains(taken) else { return nil }
            return BackstitchError(
                .invalidModel,
                "\(name).\(property.name) is an encrypted asset, whose key travels in the field \(taken): give the property "
                    + "of that name another one", key: "\(name).\(taken)")
        }
    }

    /// The properties of unique constraints that are not synced in both directions. Devices find equal objects by their
    /// records, so all devices must have those values.
    fileprivate var constraintFaults: [BackstitchError] {
        uniquenessConstraints.flatMap { columns in
            let path = "\(name)(\(columns.map { properties[$0].name }.joined(separator: ", ")))"
            return columns.map { properties[$0] }.filter {
                !$0.isSynced || $0.attribute.map(\.syncDirection) ?? .both != .both
            }
            .map { property in
                BackstitchError(
                    .invalidModel,
                    "the unique constraint \(path) names \(property.name), which does not sync in both "
                        + "directions: devices could not agree which objects have the same values", key: name)
            }
        }
    }
}

import Backstitch

extension SyncedEntity {
    /// Returns whether an object with these values is synced.
    ///
    /// - Throws: ``RecordFault`` when the predicate cannot be evaluated.
    func wants(_ id: ObjectID, _ image: @autoclosure () -> RecordImage) throws(RecordFault) -> Bool {
        guard let predicate else { return true }
        do { return try predicate.evaluate(ImageSubject(objectID: id, image: image())) } catch {
            throw RecordFault("the sync predicate of \(id) cannot be evaluated: \(error)")
        }
    }
}

extension RecordImage {
    /// Returns the object before the changes of the entry, as both sides last agreed on it.
    func before(_ entry: OutboxEntry, of entity: ResolvedEntity) -> RecordImage {
        var image = self
        for field in entry.fields {
            if let slot = entity.property(named: field.name)?.slot, slot < values.count,
                case .value(let value) = field.base
            {
                image.values[slot] = value
            }
        }
        return image
    }
}

extension FetchPredicate {
    /// The key paths that it reads; nil if it needs more than values at the end of paths.
    var valuePaths: [FetchKeyPath]? {
        switch self {
        case .constant: return []
        case .and(let parts), .or(let parts):
            var paths: [FetchKeyPath] = []
            for part in parts {
                guard let more = part.valuePaths else { return nil }
                paths += more
            }
            return paths
        case .not(let part): return part.valuePaths
        case .comparison(let comparison):
            guard let left = comparison.left.valuePaths, let right = comparison.right.valuePaths else { return nil }
            return left + right
        }
    }
}

extension FetchExpression {
    fileprivate var valuePaths: [FetchKeyPath]? {
        switch self {
        case .value, .variable: return []
        case .keyPath(let path): return [path]
        case .list(let elements):
            var paths: [FetchKeyPath] = []
            for element in elements {
                guard let more = element.valuePaths else { return nil }
                paths += more
            }
            return paths
        case .count, .subqueryCount: return nil
        }
    }
}

public import Foundation

extension FetchSortDescriptor {
    /// The value that an object is ordered by, folded.
    fileprivate func value(of subject: some PredicateSubject) throws -> Value {
        guard let path else {
            throw BackstitchError(
                .invalidPredicate,
                "the order by \(keyPath) is not resolved; call resolved(for:in:) before ordering objects",
                key: keyPath)
        }
        let value = try PredicateEvaluator.value(of: path, from: subject)
        if case .uri(let uri) = value { return .string(TextFolding.fold(uri.absoluteString, options)) }
        return value.folded(options)
    }

    /// Nil first ascending.
    fileprivate func order(_ left: Value, _ right: Value) -> Int {
        let order =
            switch (left.isNull, right.isNull) {
            case (true, true): 0
            case (true, false): -1
            case (false, true): 1
            case (false, false): ValueOrder.compare(left, right) ?? 0
            }
        return ascending ? order : -order
    }
}

extension Sequence where Element == FetchSortDescriptor {
    /// How two objects are ordered by these descriptors, which must be resolved: by the first that tells them apart, and by
    /// their keys where none does.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` when a descriptor is not resolved, and whatever the objects throw.
    public func compare(_ left: some PredicateSubject, _ right: some PredicateSubject) throws -> ComparisonResult {
        for descriptor in self {
            let order = descriptor.order(try descriptor.value(of: left), try descriptor.value(of: right))
            if order != 0 { return order < 0 ? .orderedAscending : .orderedDescending }
        }
        let (a, b) = (left.objectID.key, right.objectID.key)
        return a == b ? .orderedSame : a < b ? .orderedAscending : .orderedDescending
    }

    /// Objects in the order of these descriptors, which must be resolved. Each value is read, and folded, once.
    ///
    /// - Throws: As ``compare(_:_:)``.
    public func sorted<Subject: PredicateSubject>(_ subjects: some Sequence<Subject>) throws -> [Subject] {
        let descriptors = Array(self)
        let rows = try subjects.map { subject in
            (subject: subject, key: subject.objectID.key, values: try descriptors.map { try $0.value(of: subject) })
        }
        return rows.sorted { left, right in
            for (index, descriptor) in descriptors.enumerated() {
                let order = descriptor.order(left.values[index], right.values[index])
                if order != 0 { return order < 0 }
            }
            return left.key < right.key
        }.map(\.subject)
    }
}

import Foundation

/// The order of a controller's results: the request's descriptors, and the name of an object's section.
/// It is a class, because each of many controllers hands it on at each change.
final class ResultOrder<Object: ManagedObject> {
    /// The fetch request in its resolved form.
    let request: StoreFetchRequest
    /// The paths that the results depend on besides the objects themselves. The section's path is the first
    /// descriptor's path.
    let paths: FollowedPaths
    /// The relationships that the order follows.
    private let orderPaths: [String]
    private let section: FetchSortDescriptor?
    let predicate: FetchPredicate?
    private let descriptors: [FetchSortDescriptor]

    init(
        _ request: FetchRequest<Object>, sectionNameKeyPath: String?, in context: ManagedObjectContext
    ) throws {
        guard let first = request.sortDescriptors.first else {
            throw BackstitchError(
                .invalidRequest, "a fetched results controller needs at least one sort descriptor",
                key: "sortDescriptors")
        }
        if let sectionNameKeyPath, first.keyPath != sectionNameKeyPath {
            throw BackstitchError(
                .invalidRequest,
                "the first sort descriptor must order by the section key path \"\(sectionNameKeyPath)\", not by "
                    + "\"\(first.keyPath)\"", key: sectionNameKeyPath)
        }
        let resolved = try context.resolve(request)
        self.request = resolved
        predicate = resolved.predicate
        descriptors = resolved.sortDescriptors
        paths = FollowedPaths(resolved, in: context.model)
        var order = resolved
        order.predicate = nil
        orderPaths = FollowedPaths(order, in: context.model).relationshipKeyPaths
        section = sectionNameKeyPath == nil ? nil : resolved.sortDescriptors.first
    }

    /// Returns the rows of objects that were fetched in this order.
    func rows(of objects: [Object], in context: ManagedObjectContext) throws -> [ResultRow<Object>] {
        guard !orderPaths.isEmpty else { return try objects.map(row) }
        let loaded = try context.related(orderPaths, of: objects, request.entity)
        return try withExtendedLifetime(loaded) { try objects.map(row) }
    }

    func row(_ object: Object) throws -> ResultRow<Object> {
        let values = try descriptors.sortValues(of: object)
        return ResultRow(object: object, section: try section.map { try $0.name(of: object) } ?? "", sortValues: values)
    }

    func precedes(_ left: ResultRow<Object>, _ right: ResultRow<Object>) -> Bool {
        descriptors.compare(left.sortValues, left.object.key, right.sortValues, right.object.key) == .orderedAscending
    }

    /// Whether neighbours belong to one section: their sections have the same name, or the order treats them as equal.
    func isSameSection(_ left: ResultRow<Object>, _ right: ResultRow<Object>) -> Bool {
        guard let section else { return true }
        return section.isEqual(left.sortValues[0], right.sortValues[0])
            || left.section.utf8.elementsEqual(right.section.utf8)
    }

    /// Whether two rows of one object have the same place.
    func isSamePlace(_ left: ResultRow<Object>, _ right: ResultRow<Object>) -> Bool {
        descriptors.compare(left.sortValues, left.object.key, right.sortValues, right.object.key) == .orderedSame
    }

    /// Returns the right index for a row among sorted rows. Complexity: O(log n).
    func insertionIndex(of row: ResultRow<Object>, in rows: [ResultRow<Object>]) -> Int {
        var low = 0, high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(rows[middle], row) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension FetchSortDescriptor {
    /// Returns the name of an object's section: the unfolded value as text.
    fileprivate func name(of object: ManagedObject) throws -> String {
        switch try rawValue(of: object) {
        case .null: ""
        case .string(let text): text
        case .int(let number): "\(number)"
        case .bool(let flag): flag ? "true" : "false"
        case .double(let number): "\(number)"
        case .decimal(let number): number.canonicalText
        case .uuid(let uuid): uuid.uuidString
        case .uri(let uri): uri.absoluteString
        case .date(let date): date.text
        case .object(let id): id.description
        case .data, .asset, .file: ""
        }
    }
}

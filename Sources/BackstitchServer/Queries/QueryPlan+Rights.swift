import CloudWire

extension QueryPlan {
    /// Checks that all fields of the query may be queried. In development all may; in production those that the
    /// configuration declares.
    ///
    /// - Throws: BAD_REQUEST for a field that may not be queried.
    func requireQueryable(_ indexes: QueryIndexes, _ scope: RequestScope) throws(WireError) {
        guard scope.environment != "development", !indexes.areMadeInProduction else { return }
        let declared = indexes[type]
        let fields = fields
        if let name = fields.filtered.subtracting(declared).min() {
            throw WireError(.badRequest, "Field '\(name)' is not marked queryable")
        }
        if let name = fields.sorted.subtracting(declared).min() {
            throw WireError(.badRequest, "Field '\(name)' is not marked sortable")
        }
    }

    /// Checks that the order does not reveal hidden parents to a guest. An index has the parent itself, even if the
    /// guest may not see it.
    ///
    /// - Throws: BAD_REQUEST for an order by parent in a zone with a guest's view.
    func requireSortable(in zones: [StoredZone]) throws(WireError) {
        guard sorts.contains(where: { $0.field == .parent }), zones.contains(where: { $0.access?.parts != nil })
        else { return }
        throw WireError(.badRequest, "Field 'parent' is not sortable in a zone that shares single records")
    }

    /// Limits the query to records that the caller may read.
    ///
    /// - Throws: ACCESS_DENIED if there are none.
    mutating func restrict(to scope: RequestScope) throws(WireError) {
        do throws(WireError) {
            try scope.require(.read, type: type, creator: nil)
        } catch {
            try scope.require(.read, type: type, creator: scope.user)
            restrict(toCreator: scope.user)
        }
    }
}

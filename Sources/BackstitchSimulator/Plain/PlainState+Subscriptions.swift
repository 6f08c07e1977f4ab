extension PlainState {
    /// The index of the caller's subscription with this name.
    private func place(of id: String) -> Int? {
        subscriptions.firstIndex { $0.user == caller && $0.database == database && $0.id == id }
    }

    func lookUpSubscription(_ asked: PlainJSON) -> PlainJSON {
        let id = asked["subscriptionID"].text ?? ""
        guard let place = place(of: id) else {
            return PlainError(404, "NOT_FOUND", "no such subscription").item(["subscriptionID": .string(id)])
        }
        var subscription = subscriptions[place].content
        if behavior.forgetsNotificationInfo { subscription["notificationInfo"] = .null }
        return subscription
    }

    mutating func modifySubscription(_ operation: PlainJSON) -> PlainJSON {
        let subscription = operation["subscription"]
        let id = subscription["subscriptionID"].text ?? ""
        let known = place(of: id)
        if operation["operationType"].text == "delete" {
            if let known { subscriptions.remove(at: known) }
            return ["subscriptionID": .string(id), "deleted": .bool(true)].json
        }
        do {
            switch (subscription["subscriptionType"].text, database) {
            case ("database"?, .private), ("database"?, .shared), ("query"?, .private), ("query"?, .public): break
            case ("zone"?, .private): _ = try find(subscription["zoneID"])
            default: throw PlainError.badRequest("no such subscription in this database")
            }
        } catch let error as PlainError { return error.item(["subscriptionID": .string(id)]) } catch { return .null }
        // To create the same subscription again changes nothing.
        if known == nil {
            subscriptions.append(Subscription(user: caller, database: database, content: subscription))
        }
        return lookUpSubscription(subscription)
    }
}

import Backstitch
import Hummingbird

/// The handlers. Each does its work in one `perform`: in a context of its own, on a thread of the container. So no
/// handler waits for a database on the threads for connections.
struct Routes {
    let container: PersistentContainer

    func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: StoreErrors())
        router.get("lists", use: lists)
        router.post("lists", use: makeList)
        router.delete("lists/:id", use: deleteList)
        router.get("todos", use: todos)
        router.post("todos", use: makeTodo)
        router.get("todos/:id", use: todo)
        router.patch("todos/:id", use: change)
        router.delete("todos/:id", use: deleteTodo)
        return router
    }
}

extension Routes {
    @Sendable func lists(_: Request, _: BasicRequestContext) async throws -> [ListBody] {
        try await container.perform { context in
            var request = FetchRequest<TodoList>(sortedBy: [.ascending("name", options: .caseInsensitive)])
            // One statement for the todos of all lists.
            request.relationshipKeyPathsForPrefetching = ["todos"]
            return try context.fetch(request).map(ListBody.init)
        }
    }

    @Sendable func makeList(_ request: Request, _ http: BasicRequestContext) async throws -> EditedResponse<ListBody> {
        let body = try await request.decode(as: NewList.self, context: http)
        let list = try await container.perform { context in
            let list = TodoList(context: context)
            list.name = body.name
            try context.save()
            return ListBody(list)
        }
        return EditedResponse(status: .created, response: list)
    }

    @Sendable func deleteList(_: Request, _ http: BasicRequestContext) async throws -> HTTPResponse.Status {
        let id = try http.id
        try await container.perform { context in
            context.delete(try context.find(TodoList.self, id))
            try context.save()
        }
        return .noContent
    }
}

extension Routes {
    @Sendable func todos(_ request: Request, _ http: BasicRequestContext) async throws -> [TodoBody] {
        let query = try request.uri.decodeQuery(as: TodoQuery.self, context: http)
        return try await container.perform { context in
            var conditions: [FetchPredicate] = []
            if let done = query.done { conditions.append(try FetchPredicate(format: "isDone == %@", done)) }
            if let text = query.search { conditions.append(try FetchPredicate(format: "title CONTAINS[cd] %@", text)) }
            if let id = query.list {
                conditions.append(
                    try FetchPredicate(format: "list == %@", try context.find(TodoList.self, id).objectID))
            }
            let request = FetchRequest<Todo>(
                predicate: .and(conditions), sortedBy: [.ascending("due"), .ascending("title")], limit: query.limit)
            return try context.fetch(request).map(TodoBody.init)
        }
    }

    @Sendable func makeTodo(_ request: Request, _ http: BasicRequestContext) async throws -> EditedResponse<TodoBody> {
        let body = try await request.decode(as: NewTodo.self, context: http)
        let todo = try await container.perform { context in
            let todo = Todo(context: context)
            todo.title = body.title
            todo.due = body.due
            todo.list = try body.list.map { try context.find(TodoList.self, $0) }
            try context.save()
            return TodoBody(todo)
        }
        return EditedResponse(status: .created, response: todo)
    }

    @Sendable func todo(_: Request, _ http: BasicRequestContext) async throws -> TodoBody {
        let id = try http.id
        return try await container.perform { context in TodoBody(try context.find(Todo.self, id)) }
    }

    /// Changes a todo if it has not changed since the client's read: 409 otherwise.
    ///
    /// Two requests may both pass the test here, also at two servers on one database. Then they meet in the store. The
    /// save of the second finds a changed row and throws a conflict, which is a 409 too.
    @Sendable func change(_ request: Request, _ http: BasicRequestContext) async throws -> TodoBody {
        let id = try http.id
        let body = try await request.decode(as: TodoChange.self, context: http)
        return try await container.perform { context in
            let todo = try context.find(Todo.self, id)
            guard todo.revision == body.revision else {
                throw HTTPError(
                    .conflict, message: "the todo has the newer revision \(todo.revision); read it and try again")
            }
            if let title = body.title { todo.title = title }
            if let isDone = body.isDone { todo.isDone = isDone }
            if let due = body.due { todo.due = due }
            todo.revision += 1
            try context.save()
            return TodoBody(todo)
        }
    }

    @Sendable func deleteTodo(_: Request, _ http: BasicRequestContext) async throws -> HTTPResponse.Status {
        let id = try http.id
        try await container.perform { context in
            context.delete(try context.find(Todo.self, id))
            try context.save()
        }
        return .noContent
    }
}

extension BasicRequestContext {
    /// The parameter `:id` of the path.
    fileprivate var id: String { get throws { try parameters.require("id") } }
}

extension ManagedObjectContext {
    /// Returns the object of a class with the id that clients know; a missing object is a 404.
    fileprivate func find<Object: ManagedObject>(_: Object.Type, _ id: String) throws -> Object {
        guard let key = ObjectKey(uuidString: id),
            let object = try existingObject(with: ObjectID(entityName: "\(Object.self)", key: key)) as? Object
        else { throw HTTPError(.notFound, message: "there is no \(Object.self) \(id)") }
        return object
    }
}

import Backstitch
import BackstitchMacros

/// A list of things to do. With it go its todos.
@Entity final class TodoList: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: \Todo.list, delete: .cascade) var todos: Set<Todo>
}

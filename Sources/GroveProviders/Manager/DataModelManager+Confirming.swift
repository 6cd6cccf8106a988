import GroveConsistency
package import GroveModel

/// Confirmed models, below all layers: the part of pending changes that writes.
extension DataModelManager {
    /// Shows `models`, which were asked for at `place`, below all layers; returns when every screen was told.
    ///
    /// `context` comes to ``ShownLayers/begin(_:)`` in the turn in which the first is told.
    ///
    /// - Parameter isStored: whether they are stored in this manager's cache too. A cache that is only a delegate
    ///   stores the models that are shown. It cannot say which are older: if that is not known, the answer counts as of
    ///   now.
    @MainActor
    package func confirm(
        _ models: [any SimpleModel], asOf place: Place, isStored: Bool, context: any Sendable
    ) async -> ConfirmedAnswer {
        guard !isOver(place) else { return ConfirmedAnswer(self, place, nil, []) }
        let outcome = await withCheckedContinuation { continuation in
            settle(models, asked: place, saving: isStored ? .models : .nothing, context) { [self] outcome in
                switch outcome {
                case .taken(let taken): if !isStored { consistencyManager.endAnswer(taken) }
                case .again: if isStored, followed == nil { updateModels(models, context: context) }
                case .cancelled: break
                }
                // Behind the news of it.
                consistencyManager.afterDelivery { continuation.resume(returning: outcome) }
            }
        }
        switch outcome {
        case .taken(let taken):
            let newest = taken.models.compactMap { $0.map { Leaf.base($0) } }
            return ConfirmedAnswer(self, place, isStored ? taken : nil, newest)
        case .again: return ConfirmedAnswer(self, place, nil, models)
        case .cancelled: return ConfirmedAnswer(self, place, nil, [])
        }
    }

    /// Makes a change of the list under `key`, below all layers: on the screens that show it, and in the cache.
    ///
    /// The screens show it in one turn. If neither a screen nor the cache has the list, nothing happens.
    ///
    /// - Parameters:
    ///   - type: the type of its elements, by which it is read if no screen shows it; an inserted model's type takes
    ///     its place.
    ///   - answer: the answer that brings that model.
    /// - Returns: false if nothing could be done, as no screen shows it and no type is known.
    /// - Throws: the error of the cache if it cannot be read.
    @MainActor
    package func confirm(
        _ change: ConfirmedChange, ofList key: String, of type: (any SimpleModel.Type)?, with answer: ConfirmedAnswer
    ) async throws -> Bool {
        var type = type
        if case .insert(let identifier, _) = change {
            // It may have been deleted since.
            guard let model = answer.models[identifier] else { return true }
            type = Swift.type(of: model)
        }
        let shown = screens.stores.filter { $0.key.cacheKey == ModelIdentifier(key) }.compactMap(\.value.store)
        let isChanged = shown.map { $0.confirm(change, with: answer) }
        guard !isChanged.contains(true) else { return true }
        guard let type else { return false }
        try await confirm(change, ofStoredList: key, of: type, with: answer)
        return true
    }

    @MainActor
    private func confirm<T: SimpleModel>(
        _ change: ConfirmedChange, ofStoredList key: String, of type: T.Type, with answer: ConfirmedAnswer
    ) async throws {
        let viewer = CollectionDataProvider<T>(dataModelManager: self)
        let store = store(key, of: type)
        viewer.join(store)
        let error = await withCheckedContinuation { continuation in
            // If an element is missing the list stays as it is: without it, it would seem whole.
            store.load(for: viewer, missing: .miss, context: nil) { _, error in
                _ = store.confirm(change, with: answer)
                continuation.resume(returning: error)
            }
        }
        if let error { throw error }
    }
}

/// A change of a list by a mutation that the server has confirmed.
package enum ConfirmedChange: Sendable {
    case insert(ModelIdentifier, at: ElementPlace)
    case remove(ModelIdentifier)
    case move(ModelIdentifier, to: ElementPlace)
}

/// An answer that is shown below all layers.
///
/// As long as it exists, lists can take its models, and the changes in them.
package final class ConfirmedAnswer: Sendable {
    /// Its models in their newest versions, without those that were deleted since the request.
    let models: [ModelIdentifier: any SimpleModel]
    private let manager: DataModelManager
    private let place: Place
    private let taken: TakenAnswer?

    fileprivate init(_ manager: DataModelManager, _ place: Place, _ taken: TakenAnswer?, _ models: [any SimpleModel]) {
        (self.manager, self.place, self.taken) = (manager, place, taken)
        self.models = Dictionary(
            models.compactMap { model in model.modelIdentifier.map { ($0, model) } }, uniquingKeysWith: { $1 })
    }

    deinit { if let taken { manager.consistencyManager.endAnswer(taken) } }

    /// `model` as a page for a list; `nil` if it is inserted as an edit, as of now.
    func page(_ model: any SimpleModel) -> AppliedPage? {
        taken.map { AppliedPage(turn: $0.turn, place: place, stored: [model]) }
    }
}

extension CollectionStore {
    /// Makes a change that the server has confirmed; false if the list is not known, or is of other models.
    func confirm(_ change: ConfirmedChange, with answer: ConfirmedAnswer) -> Bool {
        guard isLoaded else { return false }
        switch change {
        case .insert(let identifier, let place):
            guard let model = answer.models[identifier] as? T else { return false }
            guard rows.index(of: identifier) == nil else { break }
            editor().insert(model, at: place, of: answer.page(model))
        case .remove(let identifier):
            while let index = rows.index(of: identifier) { editor().remove(at: index) }
        case .move(let identifier, let place): editor().move(identifier, to: place)
        }
        return true
    }

    /// A provider that edits the confirmed list: it shows no layers yet.
    private func editor() -> CollectionDataProvider<T> {
        let editor = CollectionDataProvider<T>(dataModelManager: manager)
        editor.join(self)
        return editor
    }
}
